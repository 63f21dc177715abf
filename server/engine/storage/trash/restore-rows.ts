/** Statements that insert what the trash has of a record. See docs/decisions/trash-and-merges.md. */

import { prepareOptions, renderArray, type Transaction } from '#db/connect'
import type { Attribute, DataModel, EntityType, ListType, RecordType } from '#engine/data-model/model'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import { type Stamp } from '#engine/storage/provenance'
import { asUniqueKeyConflict, type OwnedKey } from '#engine/storage/unique-keys'
import type { TrashedReference } from './move-to-trash'

/** What a restored entity has other values of than the deleted one; `$2` and `$3` are the time and the actor. */
const CHANGES = `jsonb_build_object('version', (e.content->>'version')::int + 1, 'updated_at', $2::timestamptz, 'updated_by', $3::int)`

/**
 * A column that the table no longer has is left out, one that it did not have is null. `from` is a common table expression: Citus cannot send an
 * insertion from a set of records to a node.
 */
const insertEntities = ({ table }: EntityType, from: string): string =>
  `insert into ${table} select r.* from ${from} as e, jsonb_populate_record(null::${table}, e.content::jsonb || ${CHANGES}) as r returning id`

/** The head of a record in the trash. */
export interface TrashHead {
  readonly deletedAt: Micros
  /** The record that a merge made of this one. */
  readonly mergedInto: string | null
}

/** Takes a record out of the trash and inserts its row. Undefined if it is not in the trash, or if the data model changed. */
export async function restoreRow(
  tx: Transaction,
  { schema, version }: DataModel,
  object: RecordType,
  { id, stamp }: { readonly id: string; readonly stamp: Stamp },
): Promise<TrashHead | undefined> {
  const read = `
    select deleted_at, merged_into from ${schema}.trash where id = $1 and object = ${object.number} and expires_at > $2
      and exists (select 1 from ${schema}.model where version = $3) for update of trash`
  const now = timestampFromMicros(stamp.now)
  const [row] = await tx.unsafe<HeadRow[]>(read, [id, now, version], prepareOptions(read))
  if (row === undefined) return undefined
  const statement = `
    with head as (delete from ${schema}.trash where id = $1 returning content) ${insertEntities(object, 'head')}`
  await tx.unsafe(statement, [id, now, stamp.actor], prepareOptions(statement))
  return { deletedAt: microsFromPostgres(row.deleted_at), mergedInto: row.merged_into }
}

interface HeadRow {
  readonly deleted_at: string
  readonly merged_into: string | null
}

/** Inserts the entries of a record in one list. Returns their ids. */
export async function restoreEntries(
  tx: Transaction,
  { schema }: DataModel,
  list: ListType,
  { id, stamp }: { readonly id: string; readonly stamp: Stamp },
): Promise<string[]> {
  const statement = `
    with entries as materialized (
      select a.content from ${schema}.trash_parts p, json_array_elements(p.content) as a(content)
      where p.record_id = $1 and p.kind = 'entries' and p.entity_type = ${list.number}
    ) ${insertEntities(list, 'entries')}`
  const parameters = [id, timestampFromMicros(stamp.now), stamp.actor]
  const rows = await tx.unsafe<{ id: string }[]>(statement, parameters, prepareOptions(statement))
  return rows.map((row) => row.id)
}

const HISTORY_COLUMNS = 'entity_id, attribute, active_from, active_until, actor, mirrored, value, ended_by'

/** Inserts the ended values of attributes that exist, except references to records of objects that do not. */
export async function restoreHistory(tx: Transaction, { schema, entityTypes }: DataModel, id: string): Promise<void> {
  const attributes = entityTypes.flatMap((entityType) => entityType.attributes.map(({ number }) => number))
  const objects = entityTypes.map(({ number }) => number)
  const statement = `
    insert into ${schema}.history (${HISTORY_COLUMNS})
    select e.${HISTORY_COLUMNS.replaceAll(', ', ', e.')} from ${schema}.trash_parts p, json_to_recordset(p.content) as e(entity_id uuid, attribute int,
      active_from timestamptz, active_until timestamptz, actor int, mirrored boolean, value jsonb, ended_by int, sequence bigint)
    where p.record_id = $1 and p.kind = 'history' and e.attribute = any($2::int[])
      and (not e.value ? 'target_object' or (e.value->>'target_object')::int = any($3::int[]))
    order by e.sequence`
  await tx.unsafe(statement, [id, renderArray(attributes), renderArray(objects)], prepareOptions(statement))
}

/** Inserts unique keys. Throws `UniqueKeyConflict` when another entity has one of them. */
export async function insertKeys(tx: Transaction, { schema }: DataModel, keys: readonly OwnedKey[]): Promise<void> {
  if (keys.length === 0) return
  const statement = `
    insert into ${schema}.uniques (attribute, key, entity_id)
    select attribute, key, entity_id from json_to_recordset($1::text::json) as k(attribute int, key text, entity_id uuid)`
  try {
    await tx.unsafe(statement, [JSON.stringify(keys)], prepareOptions(statement))
  } catch (error) {
    throw asUniqueKeyConflict(error, keys, keys[0]?.entity_id ?? '')
  }
}

/** A part without the kinds that statements restore on their own, which have no content here. */
export interface ReadPart {
  readonly kind: string
  readonly attribute: number | null
  readonly content: string | null
}

export async function readParts(tx: Transaction, { schema }: DataModel, id: string): Promise<readonly ReadPart[]> {
  const statement = `
    select kind, attribute, case when kind not in ('entries', 'history', 'references') then content::text end as content
    from ${schema}.trash_parts where record_id = $1 order by sequence`
  return tx.unsafe<ReadPart[]>(statement, [id], prepareOptions(statement))
}

export async function deleteParts(tx: Transaction, { schema }: DataModel, ids: readonly string[]): Promise<void> {
  const statement = `delete from ${schema}.trash_parts where record_id = any($1::uuid[])`
  await tx.unsafe(statement, [renderArray(ids)], prepareOptions(statement))
}

/** The ids among these of records that are in the trash. */
export async function findTrashed(
  tx: Transaction,
  { schema }: DataModel,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const statement = `select id from ${schema}.trash where id = any($1::uuid[])`
  const rows = await tx.unsafe<{ id: string }[]>(statement, [renderArray(ids)], prepareOptions(statement))
  return new Set(rows.map(({ id }) => id))
}

// Statements that restore references to a record that is restored. A reference that nothing replaced meanwhile is active again
// since the time at which it was written, and its end is no longer part of the history. Otherwise it begins anew.

/** The record that is restored. */
export interface RestoredRecord {
  readonly object: RecordType
  readonly id: string
}

const referencesOf = ({ schema }: DataModel, { number }: Attribute): string => `
  select r.*, p.sequence from ${schema}.trash_parts p,
    json_to_recordset(p.content) as r(entity_id uuid, entry jsonb, index int)
  where p.record_id = $1::uuid and p.kind = 'references' and p.attribute = ${number}`

/** The references of an attribute to the record, the last one that was written first. */
export async function readReferences(
  tx: Transaction,
  model: DataModel,
  attribute: Attribute,
  id: string,
): Promise<readonly TrashedReference[]> {
  const statement = `select json_agg(r order by r.sequence)::text as references from (${referencesOf(model, attribute)}) r`
  const [row] = await tx.unsafe<{ references: string | null }[]>(statement, [id], prepareOptions(statement))
  return JSON.parse(row?.references ?? '[]') as TrashedReference[] // as the deletion inserted them
}

/** Makes references of records that are in the trash part of those, so that they are restored with them. */
export async function keepReferencesOfTrashed(
  tx: Transaction,
  model: DataModel,
  attribute: Attribute,
  { object, id }: RestoredRecord,
): Promise<void> {
  const { schema } = model
  const statement = `
    insert into ${schema}.trash_parts (record_id, kind, attribute, content)
    select t.id, 'own_references', ${attribute.number}, json_agg(json_build_object('entity_id', t.id, 'entry', r.entry,
      'index', r.index, 'target_object', ${object.number}, 'target_record_id', $1::uuid))
    from (${referencesOf(model, attribute)}) r join ${schema}.trash t on t.id = r.entity_id group by t.id`
  await tx.unsafe(statement, [id], prepareOptions(statement))
}

/** A value that refers to a record, and since when it was active. */
interface EndedReference {
  readonly entity_id: string
  readonly target_record_id: string
  readonly active_from: string
}

/**
 * Deletes the ends of references from the history, unless the attribute had another value after that; with several values,
 * unless it referred to the same record after that. Returns the references whose end was deleted.
 */
export async function resumeReferences(
  tx: Transaction,
  { schema }: DataModel,
  { number, is_multiselect }: Attribute,
  references: readonly EndedReference[],
): Promise<ReadonlySet<string>> {
  if (references.length === 0) return new Set()
  const statement = `
    delete from ${schema}.history e
    using json_to_recordset($1::text::json) as r(entity_id uuid, target_record_id text, active_from timestamptz)
    where e.entity_id = r.entity_id and e.attribute = $2 and e.value->>'target_record_id' = r.target_record_id
      and e.active_from = r.active_from
      and not exists (select 1 from ${schema}.history l
        where l.entity_id = e.entity_id and l.attribute = e.attribute and l.active_until > e.active_until
        ${is_multiselect ? `and l.value->>'target_record_id' = r.target_record_id` : ''})
    returning e.entity_id || ' ' || r.target_record_id as resumed`
  const parameters = [JSON.stringify(references), number]
  const rows = await tx.unsafe<{ resumed: string }[]>(statement, parameters, prepareOptions(statement))
  return new Set(rows.map(({ resumed }) => resumed))
}

export const isResumed = (resumed: ReadonlySet<string>, { entity_id, target_record_id }: EndedReference): boolean =>
  resumed.has(`${entity_id} ${target_record_id}`)
