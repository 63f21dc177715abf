/** Creates holders: a record, an entry, or many at once. */

import type { Sql, Transaction } from '../../db/connect'
import type { Stored } from '../attribute-types/define'
import type { Call } from '../call'
import type { Attribute, DataModel, Owner } from '../data-model/model'
import type { NewEvent } from '../events/kinds'
import { appendEvents, originOf } from '../events/append'
import { timestampFromMicros } from '../time'
import { distinctValues, type Stamp } from './apply'
import { orKeysTaken } from './attempt'
import { fillColumns } from './change'
import type { Targets } from './guards'
import type { Row } from './layout'
import { inSteps } from './in-steps'
import { type Parent, parentTarget, parentValues } from './parent'
import type { Assignment } from './parse'
import { findRow } from './read'
import { releaseTargets, touchesOthers, writeDerived } from './relationships'
import { type Insert, insertHolders, type NewHolder } from './insert-statement'
import { ofOthers, onlyOnce, tellCreated } from './tell'
import { type UniqueKey, uniqueKeys } from './unique'
import type { Creation, Provenance } from './versions'
import { KeysTaken, Outdated, targetsOf } from './write-holder'

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

async function insertOne(
  db: Sql | Transaction,
  model: DataModel,
  owner: Owner,
  contents: NewContents,
  stamp: Stamp,
  gather?: NewEvent[],
): Promise<Row> {
  const [row] = await createMany(db, model, owner, [contents], stamp, { answer: 'row', gather })
  if (!row) throw new Outdated()
  return row
}

export interface Creating {
  readonly answer?: Insert['answer']
  /** Takes what is to be told, for whoever tells it together with more; else the statement tells it. */
  readonly gather?: NewEvent[]
}

/**
 * Inserts holders in one statement and answers a row for each, or their ids alone; none when the data model or a target is
 * not as expected. Derived sides of relationships are passed over.
 */
export function createMany(
  db: Sql | Transaction,
  model: DataModel,
  owner: Owner,
  all: readonly NewContents[],
  stamp: Stamp,
  { answer = 'id', gather }: Creating = {},
): Promise<Row[]> {
  const created = { at: stamp.now, actor: stamp.actor }
  const holders = all.map(({ id, assignments, parent }): NewHolderContents => {
    const own = assignments.filter(({ attribute, values }) => attribute.stored_in === 'columns' && values.length > 0)
    const contents = own.map(({ attribute, values }) => ({ attribute, values: distinctValues(attribute, values) }))
    return { id, created, contents, parent }
  })
  const targets = all.flatMap(({ assignments, parent }) => [
    ...targetsOf(model, assignments),
    ...(parent ? [parentTarget(parent)] : []),
  ])
  const events = holders.flatMap(({ id, parent, contents }) =>
    tellCreated(model, owner, { id, parentRecordId: parent?.recordId }, contents),
  )
  gather?.push(...events)
  const told = gather ? undefined : { origin: { at: stamp.now, actor: stamp.actor }, events }
  return insertContents(db, model, owner, holders, { targets: mergeTargets(targets), answer, told })
}

/** Inserts holders in one statement. Throws `KeysTaken`. */
export async function insertContents(
  db: Sql | Transaction,
  model: DataModel,
  owner: Owner,
  holders: readonly NewHolderContents[],
  { targets, answer, told }: Pick<Insert, 'targets' | 'answer' | 'told'>,
): Promise<Row[]> {
  const prepared = holders.map(prepareInsert)
  const keys = prepared.flatMap((each) => each.keys)
  try {
    return await insertHolders(db, model, owner, {
      attributes: attributesOf(holders),
      holders: prepared.map(({ holder }) => holder),
      keys,
      targets,
      answer,
      told,
    })
  } catch (error) {
    throw orKeysTaken(error, () => new KeysTaken(keys, holders[0]?.id ?? ''))
  }
}

interface PreparedInsert {
  readonly holder: NewHolder
  readonly keys: (UniqueKey & { holder_id: string })[]
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

/** Whose values any of the new holders has. */
function attributesOf(holders: readonly NewHolderContents[]): Attribute[] {
  const attributes = new Set<Attribute>()
  for (const { contents } of holders) for (const { attribute } of contents) attributes.add(attribute)
  return [...attributes]
}

function mergeTargets(all: readonly Targets[]): Targets[] {
  const merged = new Map<string, Set<string>>()
  for (const { table, ids } of all) merged.set(table, new Set([...(merged.get(table) ?? []), ...ids]))
  return [...merged].map(([table, ids]) => ({ table, ids: [...ids] }))
}
