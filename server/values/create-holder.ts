/** Creates holders: a record, an entry, or many at once. */

import type { Sql, Transaction } from '../../db/connect'
import type { Call } from '../call'
import type { Attribute, DataModel, Owner } from '../data-model/model'
import { timestampFromMicros } from '../time'
import { applyValues, type Stamp } from './apply'
import { orKeysTaken } from './attempt'
import { columnValues } from './change'
import type { Row } from './layout'
import { inSteps } from './in-steps'
import { type Parent, PARENT_COLUMNS, parentTarget, parentValues } from './parent'
import type { Assignment } from './parse'
import { findRow } from './read'
import { releaseTargets, touchesOthers, writeDerived } from './relationships'
import { rendererOf } from './render'
import { insertHolders, type NewHolder, type Targets, type TypedColumns } from './statements'
import { type UniqueKey, uniqueKeys } from './unique'
import { type Creation, type Provenance, provenanceEntries, type Version } from './versions'
import { KeysTaken, Outdated, targetsOf, typedColumns } from './write-holder'

/** A holder to be created: its id, and what it is to hold. */
export interface NewContents {
  readonly id: string
  readonly assignments: readonly Assignment[]
  /** Of an entry. */
  readonly parent?: Parent
}

/** A holder to be created with values that have a past of their own. */
export interface NewVersions {
  readonly id: string
  readonly created: Creation
  readonly contents: readonly { readonly attribute: Attribute; readonly versions: readonly Version[] }[]
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
    const writing = { tx, model, stamp }
    await releaseTargets(writing, id, assignments)
    await insertOne(tx, model, owner, contents, stamp)
    for (const assignment of assignments) {
      if (assignment.attribute.stored_in === 'partner') await writeDerived(writing, id, assignment, 'overwrite')
    }
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
): Promise<Row> {
  const [row] = await createMany(db, model, owner, [contents], stamp, rendererOf(model, owner).layout.selectNew)
  if (!row) throw new Outdated()
  return row
}

/**
 * Inserts holders in one statement and answers a row for each, with their ids when `returning` asks for nothing else;
 * none when the data model or a target is not as expected. Derived sides of relationships are passed over.
 */
export function createMany(
  db: Sql | Transaction,
  model: DataModel,
  owner: Owner,
  all: readonly NewContents[],
  stamp: Stamp,
  returning = 'h.id',
): Promise<Row[]> {
  const created = { at: stamp.now, actor: stamp.actor }
  const holders = all.map(({ id, assignments, parent }): NewVersions => {
    const own = assignments.filter(({ attribute, values }) => attribute.stored_in === 'columns' && values.length > 0)
    const contents = own.map(({ attribute, values }) => ({
      attribute,
      versions: applyValues(attribute, [], values, 'overwrite', stamp),
    }))
    return { id, created, contents, parent }
  })
  const targets = all.flatMap(({ assignments, parent }) => [
    ...targetsOf(model, assignments),
    ...(parent ? [parentTarget(parent)] : []),
  ])
  return insertVersions(db, model, owner, holders, { targets: mergeTargets(targets), returning })
}

/** Inserts holders with the given versions, in one statement. Throws `KeysTaken`. */
export async function insertVersions(
  db: Sql | Transaction,
  model: DataModel,
  owner: Owner,
  holders: readonly NewVersions[],
  { targets, returning }: { readonly targets: readonly Targets[]; readonly returning: string },
): Promise<Row[]> {
  const prepared = holders.map(prepareInsert)
  const keys = prepared.flatMap((each) => each.keys)
  try {
    return await insertHolders(db, model, owner, {
      columns: allColumns(owner, holders),
      holders: prepared.map(({ holder }) => holder),
      keys,
      targets,
      returning,
    })
  } catch (error) {
    throw orKeysTaken(error, () => new KeysTaken(keys, holders[0]?.id ?? ''))
  }
}

interface PreparedInsert {
  readonly holder: NewHolder
  readonly keys: (UniqueKey & { holder_id: string })[]
}

function prepareInsert({ id, created, contents, parent }: NewVersions): PreparedInsert {
  const columns: Record<string, unknown> = {}
  const provenance: Record<string, Provenance[string]> = {}
  const keys: PreparedInsert['keys'] = []
  for (const { attribute, versions } of contents) {
    Object.assign(columns, columnValues(attribute, versions))
    const entries = provenanceEntries(versions, created)
    if (entries) provenance[attribute.number] = entries
    for (const key of uniqueKeys(
      attribute,
      versions.map(({ stored }) => stored),
    ))
      keys.push({ ...key, holder_id: id })
  }
  const origin = Object.keys(provenance).length > 0 ? provenance : null
  const holder = {
    id,
    created_at: timestampFromMicros(created.at),
    created_by: created.actor,
    provenance: origin,
    ...parentValues(parent),
    ...columns,
  }
  return { holder, keys }
}

/** Every column that any of the new holders has; the rest stay null. */
function allColumns(owner: Owner, holders: readonly NewVersions[]): TypedColumns {
  const attributes = new Set<Attribute>()
  for (const { contents } of holders) for (const { attribute } of contents) attributes.add(attribute)
  const columns = typedColumns([...attributes])
  return owner.kind === 'list' ? new Map([...PARENT_COLUMNS, ...columns]) : columns
}

function mergeTargets(all: readonly Targets[]): Targets[] {
  const merged = new Map<string, Set<string>>()
  for (const { table, ids } of all) merged.set(table, new Set([...(merged.get(table) ?? []), ...ids]))
  return [...merged].map(([table, ids]) => ({ table, ids: [...ids] }))
}
