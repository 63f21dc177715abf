/** Creates a holder: a record or an entry. */

import type { Sql, Transaction } from '../../../db/connect'
import type { Stored } from '../../attribute-types/define'
import type { Call } from '../../call'
import type { Attribute, DataModel, Owner } from '../../data-model/model'
import type { NewEvent } from '../../events/event-types'
import { appendEvents, originOf } from '../../events/outbox'
import { timestampFromMicros } from '../../timing/clock'
import { distinctValues, type Stamp } from './apply-values'
import { orKeysTaken } from './retry-on-conflict'
import { fillColumns } from './entity-change'
import type { Targets } from '../../storage/preconditions'
import type { Row } from '../../storage/layout'
import { inSteps } from './serialise-writes'
import { type Parent, parentTarget, parentValues } from '../read/parent'
import type { Assignment } from './parse-values'
import { findRow } from '../read/read-entities'
import { releaseTargets, touchesOthers, writeDerived } from '../relationships/relationships'
import { type Insert, insertHolder, type NewHolder } from '../../storage/insert-statement'
import { ofOthers, onlyOnce, tellCreated } from './change-events'
import type { OwnedKey } from '../../storage/unique-key-step'
import { uniqueKeys } from '../../storage/unique-keys'
import type { Creation, Provenance } from '../../storage/provenance'
import { KeysTaken, Outdated, targetsOf } from './save-change'

/** A holder to be created: its id, and what it is to hold. */
export interface NewContents {
  readonly id: string
  readonly assignments: readonly Assignment[]
  /** Of an entry. */
  readonly parent?: Parent
}

/** A holder to be created, in full. */
export interface NewHolderContents {
  readonly id: string
  readonly created: Creation
  readonly contents: readonly {
    readonly attribute: Attribute
    readonly values: readonly Stored[]
    /** Where they come from, when that is not the creation of the holder. */
    readonly entries?: Provenance[string]
  }[]
  /** Of an entry. */
  readonly parent?: Parent
}

/**
 * Creates one holder with its values, unique keys and relationships, and answers its row for its renderer. One statement
 * unless a relationship changes other holders.
 * Throws `Outdated` and `KeysTaken` for `attempt`.
 */
export async function createHolder(call: Call, owner: Owner, contents: NewContents): Promise<Row> {
  const { model } = call
  const newStamp = () => ({ now: call.now(), actor: call.actor })
  const { id, assignments } = contents
  if (!assignments.some(({ attribute, values }) => values.length > 0 && touchesOthers(model, attribute))) {
    return insertOne(call.db.sql, model, owner, contents, newStamp())
  }
  return inSteps(call, async (tx) => {
    const stamp = newStamp()
    const writing = { tx, model, stamp, told: [] }
    const own: NewEvent[] = []
    await releaseTargets(writing, id, assignments)
    await insertOne(tx, model, owner, contents, stamp, own)
    for (const assignment of assignments) {
      if (assignment.attribute.stored_in === 'partner') await writeDerived(writing, id, assignment, 'overwrite')
    }
    const told = onlyOnce([...own, ...ofOthers(writing.told, [id])])
    await appendEvents(tx, originOf(call, stamp.now), told)
    const row = await findRow(tx, model, owner, id)
    if (!row) throw new Outdated()
    return row
  })
}

/** `gather` takes what is to be told, for whoever tells it together with more; else the statement tells it. */
async function insertOne(
  db: Sql | Transaction,
  model: DataModel,
  owner: Owner,
  { id, assignments, parent }: NewContents,
  stamp: Stamp,
  gather?: NewEvent[],
): Promise<Row> {
  const own = assignments.filter(({ attribute, values }) => attribute.stored_in === 'columns' && values.length > 0)
  const contents = own.map(({ attribute, values }) => ({ attribute, values: distinctValues(attribute, values) }))
  const created = { at: stamp.now, actor: stamp.actor }
  const targets = [...targetsOf(model, assignments), ...(parent ? [parentTarget(parent)] : [])]
  const events = tellCreated(model, owner, { id, parentRecordId: parent?.recordId }, contents)
  gather?.push(...events)
  const told = gather ? undefined : { origin: created, events }
  const holder = { id, created, contents, parent }
  return insertContents(db, model, owner, holder, { targets: mergeTargets(targets), answer: 'row', told })
}

/** Inserts a holder in one statement. Throws `Outdated` and `KeysTaken`. */
export async function insertContents(
  db: Sql | Transaction,
  model: DataModel,
  owner: Owner,
  contents: NewHolderContents,
  { targets, answer, told }: Pick<Insert, 'targets' | 'answer' | 'told'>,
): Promise<Row> {
  const { holder, keys } = prepareInsert(contents)
  const attributes = contents.contents.map(({ attribute }) => attribute)
  try {
    const isFirst = contents.parent?.claim !== undefined
    const insert = { attributes, holder, keys, targets, isFirst, answer, told }
    const [row] = await insertHolder(db, model, owner, insert)
    if (!row) throw new Outdated()
    return row
  } catch (error) {
    throw orKeysTaken(error, () => new KeysTaken(keys, contents.id))
  }
}

interface PreparedInsert {
  readonly holder: NewHolder
  readonly keys: OwnedKey[]
}

function prepareInsert({ id, created, contents, parent }: NewHolderContents): PreparedInsert {
  const holder: Record<string, unknown> = { ...parentValues(parent) }
  const keys: PreparedInsert['keys'] = parent?.claim ? [{ ...parent.claim, holder_id: id }] : []
  let provenance: Record<string, Provenance[string]> | null = null
  for (const { attribute, values, entries } of contents) {
    fillColumns(holder, attribute, values)
    if (entries) (provenance ??= {})[attribute.number] = entries
    if (attribute.is_unique) for (const key of uniqueKeys(attribute, values)) keys.push({ ...key, holder_id: id })
  }
  const created_at = timestampFromMicros(created.at)
  return { holder: Object.assign(holder, { id, created_at, created_by: created.actor, provenance }), keys }
}

/** An entry's own record may be one that it refers to. */
function mergeTargets(all: readonly Targets[]): Targets[] {
  const merged = new Map<string, Set<string>>()
  for (const { table, ids } of all) merged.set(table, new Set([...(merged.get(table) ?? []), ...ids]))
  return [...merged].map(([table, ids]) => ({ table, ids: [...ids] }))
}
