/** Writes the computed change of one holder. */

import type { Sql, Transaction } from '../../../db/connect'
import type { Stored } from '../../attribute-types/define'
import { partnerOf } from '../../data-model/find'
import type { Attribute, DataModel, Owner } from '../../data-model/model'
import { timestampFromMicros } from '../../timing/clock'
import type { Stamp } from './apply-values'
import { type AttributeChange, holderChange } from './entity-change'
import type { Targets } from '../../storage/preconditions'
import type { Row } from '../../storage/layout'
import type { HeldHolder } from '../read/read-entities'
import type { Told } from '../../storage/outbox-step'
import { updateHolder } from '../../storage/update-statement'
import { type UniqueKey, uniqueKeys } from '../../storage/unique-keys'

/** The statement touched nothing: the data model, the holder or a target is not as it was when the write was computed. */
export class Outdated extends Error {}

/** A unique key was taken; carries what is needed to say by whom. */
export class KeysTaken extends Error {
  constructor(
    readonly keys: readonly UniqueKey[],
    readonly holderId: string,
  ) {
    super('A unique key is taken.')
  }
}

export interface AttributeUpdate {
  readonly changes: readonly AttributeChange[]
  readonly targets: readonly Targets[]
  readonly told?: Told
}

/** Applies changes to a held holder. Answers its new row, or undefined when there was nothing to change. */
export async function changeHolder(
  db: Sql | Transaction,
  model: DataModel,
  owner: Owner,
  holder: HeldHolder,
  { changes, targets, told }: AttributeUpdate,
  { now, actor }: Stamp,
): Promise<Row | undefined> {
  const change = holderChange(holder, changes, now)
  if (!change) return undefined
  const [row] = await updateHolder(db, model, owner, {
    id: holder.id,
    version: holder.version,
    change,
    updated: { at: timestampFromMicros(now), by: actor },
    targets,
    told,
  })
  if (!row) throw new Outdated()
  return row
}

/** The unique keys the assignments claim. */
export const claimedKeys = (changes: readonly AttributeChange[]): UniqueKey[] =>
  changes.flatMap(({ attribute, after }) =>
    uniqueKeys(
      attribute,
      after.map(({ stored }) => stored),
    ),
  )

/** The records the values refer to, by table, each named once. */
export function targetsOf(
  model: DataModel,
  assignments: readonly { attribute: Attribute; values: readonly Stored[] }[],
): Targets[] {
  const ids = new Map<string, Set<string>>()
  for (const { attribute, values } of assignments) {
    if (attribute.type !== 'record-reference' || attribute.stored_in !== 'columns') continue
    for (const { target_object, target_record_id } of values) {
      const table = model.ownersByNumber.get(Number(target_object))?.table
      if (table === undefined) throw new Outdated()
      ids.set(table, (ids.get(table) ?? new Set()).add(String(target_record_id)))
    }
  }
  return [...ids].map(([table, found]) => ({ table, ids: [...found] }))
}

/** Whether an attribute is one side of a two-sided relationship. */
export const isRelationship = (model: DataModel, attribute: Attribute): boolean =>
  partnerOf(model, attribute) !== undefined
