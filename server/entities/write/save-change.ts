/** Writes the computed change of one entity. */

import type { Sql, Transaction } from '../../../db/connect'
import type { Stored } from '../../attribute-types/define'
import { otherSideOf } from '../../data-model/find'
import type { Attribute, DataModel, EntityType } from '../../data-model/model'
import { timestampFromMicros } from '../../timing/clock'
import type { Stamp } from './apply-values'
import { type AttributeChange, entityChange } from '../../storage/entity-change'
import type { ReferenceTargets } from '../../storage/preconditions'
import type { Row } from '../../storage/layout'
import type { StoredEntity } from '../../storage/read-entities'
import type { OutboxRows } from '../../storage/statements/outbox-step'
import { updateEntity } from '../../storage/statements/update-entity'
import { type UniqueKey, uniqueKeys } from '../../storage/unique-keys'

/** The statement touched nothing: the data model, the entity or a target is not as it was when the write was computed. */
export class VersionConflict extends Error {}

/** A unique key was taken; carries what is needed to say by whom. */
export class UniqueKeyConflict extends Error {
  constructor(
    readonly keys: readonly UniqueKey[],
    readonly entityId: string,
  ) {
    super('A unique key is taken.')
  }
}

export interface AttributeUpdate {
  readonly changes: readonly AttributeChange[]
  readonly targets: readonly ReferenceTargets[]
  readonly told?: OutboxRows
}

/** Applies changes to a held entity. Answers its new row, or undefined when there was nothing to change. */
export async function changeEntity(
  db: Sql | Transaction,
  model: DataModel,
  entityType: EntityType,
  entity: StoredEntity,
  { changes, targets, told }: AttributeUpdate,
  { now, actor }: Stamp,
): Promise<Row | undefined> {
  const change = entityChange(entity, changes, now)
  if (!change) return undefined
  const [row] = await updateEntity(db, model, entityType, {
    id: entity.id,
    version: entity.version,
    change,
    updated: { at: timestampFromMicros(now), by: actor },
    targets,
    told,
  })
  if (!row) throw new VersionConflict()
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
): ReferenceTargets[] {
  const ids = new Map<string, Set<string>>()
  for (const { attribute, values } of assignments) {
    if (attribute.type !== 'record-reference' || attribute.stored_in !== 'columns') continue
    for (const { target_object, target_record_id } of values) {
      const table = model.entityTypesByNumber.get(Number(target_object))?.table
      if (table === undefined) throw new VersionConflict()
      ids.set(table, (ids.get(table) ?? new Set()).add(String(target_record_id)))
    }
  }
  return [...ids].map(([table, found]) => ({ table, ids: [...found] }))
}

/** Whether an attribute is one side of a two-sided relationship. */
export const isRelationship = (model: DataModel, attribute: Attribute): boolean =>
  otherSideOf(model, attribute) !== undefined
