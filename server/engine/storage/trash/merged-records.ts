/**
 * The originals of a merge in the trash: statements that store what the merge moves from them, before it does, and statements by which a
 * restored original takes it back. See docs/decisions/trash-and-merges.md.
 */

import { prepareOptions, renderArray, type Transaction } from '#db/connect'
import { entityTypeOf } from '#engine/data-model/find'
import type { Attribute, DataModel, ListType, ObjectType } from '#engine/data-model/model'
import { listsOf, parentUniqueKey } from '#engine/storage/read-entities'
import { provenanceSql, type Stamp } from '#engine/storage/provenance'
import { attributesReferringTo, targetColumn } from '#engine/storage/layout'
import { type Micros, timestampFromMicros } from '#base/timing/clock'

/** Inserts parts of each original: those of a deletion, and `moved_entries`, `ended_references` and `merged_ids`. */
export async function keepMovedParts(
  tx: Transaction,
  model: DataModel,
  object: ObjectType,
  ids: readonly string[],
): Promise<void> {
  await keep(tx, historyOf(model), ids)
  for (const list of listsOf(model, object)) {
    await keep(tx, entriesOf(model, list), ids)
    await keep(tx, keysOf(model, list), ids)
  }
  for (const attribute of attributesReferringTo(model, object)) await keep(tx, referencesOf(model, attribute), ids)
  await keep(tx, endedReferencesOf(model), ids)
  await keep(tx, mergedIdsOf(model), ids)
}

const insertInto = ({ schema }: DataModel): string =>
  `insert into ${schema}.trash_parts (record_id, kind, entity_type, attribute, content)`

const historyOf = (model: DataModel): string => `
  ${insertInto(model)}
  select h.entity_id, 'history', null, null, json_agg(h order by h.sequence) from ${model.schema}.history h
  where h.entity_id = any($1::uuid[]) group by h.entity_id`

const entriesOf = (model: DataModel, { number, table }: ListType): string => `
  ${insertInto(model)}
  select parent_record_id, 'moved_entries', ${number}, null, json_agg(id) from ${table}
  where parent_record_id = any($1::uuid[]) group by parent_record_id`

/** The merge deletes the unique keys of entries by their parent record. */
const keysOf = (model: DataModel, list: ListType): string => `
  ${insertInto(model)}
  select u.key::uuid, 'keys', null, null, json_agg(u) from ${model.schema}.uniques u
  where u.attribute = ${parentUniqueKey(list, '').attribute} and u.key = any(($1::uuid[])::text[]) group by u.key`

function referencesOf(model: DataModel, attribute: Attribute): string {
  const { number, is_multiselect } = attribute
  const column = `h.${targetColumn(attribute)}`
  const targets = is_multiselect
    ? `lateral unnest(${column}) with ordinality as t(id, position) where ${column} && $1::uuid[] and t.id = any($1::uuid[])`
    : `lateral (select ${column} as id, 1 as position) t where ${column} = any($1::uuid[])`
  const entry = provenanceSql('h.provenance', number, '(t.position - 1)::int')
  return `
    ${insertInto(model)}
    select t.id, 'references', null, ${number},
      json_agg(json_build_object('entity_id', h.id, 'entry', ${entry}, 'index', t.position - 1))
    from ${entityTypeOf(model, attribute).table} h, ${targets} group by t.id`
}

/** The merge redirects ended values of other entities as well. */
const endedReferencesOf = (model: DataModel): string => `
  ${insertInto(model)}
  select (h.value->>'target_record_id')::uuid, 'ended_references', null, null, json_agg(h.sequence)
  from ${model.schema}.history h
  where h.value ? 'target_record_id' and h.value->>'target_record_id' = any(($1::uuid[])::text[])
  group by h.value->>'target_record_id'`

const mergedIdsOf = (model: DataModel): string => `
  ${insertInto(model)}
  select new_id, 'merged_ids', null, null, json_agg(old_id) from ${model.schema}.merges
  where new_id = any($1::uuid[]) group by new_id`

async function keep(tx: Transaction, statement: string, ids: readonly string[]): Promise<void> {
  await tx.unsafe(statement, [renderArray(ids)], prepareOptions(statement))
}

/** Records in the trash that were merged into an original lead to the new record. */
export async function redirectTrashed(
  tx: Transaction,
  { schema }: DataModel,
  ids: readonly string[],
  newId: string,
): Promise<void> {
  const statement = `update ${schema}.trash set merged_into = $1 where merged_into = any($2::uuid[])`
  await tx.unsafe(statement, [newId, renderArray(ids)], prepareOptions(statement))
}

/** An original that is restored, and the record that it was merged into. */
export interface TakenBack {
  readonly id: string
  readonly mergedId: string
  /** The time of the merge. */
  readonly deletedAt: Micros
}

/** Deletes the ended values of the merged record that were those of the original. */
export async function deleteMovedHistory(
  tx: Transaction,
  { schema }: DataModel,
  { id, mergedId }: TakenBack,
): Promise<void> {
  const statement = `
    delete from ${schema}.history h using ${schema}.trash_parts p, json_to_recordset(p.content)
      as e(attribute int, active_from timestamptz, active_until timestamptz, value jsonb)
    where p.record_id = $1 and p.kind = 'history' and h.entity_id = $2 and h.attribute = e.attribute
      and h.active_from = e.active_from and h.active_until = e.active_until and h.value = e.value`
  await tx.unsafe(statement, [id, mergedId], prepareOptions(statement))
}

/** Gives the original its entries in one list again, where they still are entries of the merged record. Returns their ids. */
export async function takeBackEntries(
  tx: Transaction,
  { schema }: DataModel,
  list: ListType,
  { id, mergedId, stamp }: TakenBack & { readonly stamp: Stamp },
): Promise<string[]> {
  const statement = `
    update ${list.table} h set parent_record_id = $1, version = h.version + 1, updated_at = $3, updated_by = $4
    from ${schema}.trash_parts p, json_array_elements_text(p.content) as e(id)
    where p.record_id = $1 and p.kind = 'moved_entries' and p.entity_type = ${list.number}
      and h.id = e.id::uuid and h.parent_record_id = $2 returning h.id`
  const parameters = [id, mergedId, timestampFromMicros(stamp.now), stamp.actor]
  const rows = await tx.unsafe<{ id: string }[]>(statement, parameters, prepareOptions(statement))
  return rows.map((row) => row.id)
}

/** Redirects the references of an attribute with one value, except those that were written after the merge. Nothing ends. */
export async function takeBackSingles(
  tx: Transaction,
  model: DataModel,
  attribute: Attribute,
  { id, mergedId, stamp }: TakenBack & { readonly stamp: Stamp },
): Promise<void> {
  const column = targetColumn(attribute)
  const statement = `
    update ${entityTypeOf(model, attribute).table} h
    set ${column} = $1, version = h.version + 1, updated_at = $3, updated_by = $4
    from ${model.schema}.trash_parts p, json_to_recordset(p.content) as r(entity_id uuid, entry jsonb)
    where p.record_id = $1 and p.kind = 'references' and p.attribute = ${attribute.number}
      and h.id = r.entity_id and h.${column} = $2
      and ${provenanceSql('h.provenance', attribute.number, '0')} is not distinct from r.entry`
  await tx.unsafe(statement, [id, mergedId, timestampFromMicros(stamp.now), stamp.actor], prepareOptions(statement))
}

/** Redirects ended references, which the merge has redirected to the merged record. */
export async function takeBackEndedReferences(
  tx: Transaction,
  { schema }: DataModel,
  { id, mergedId }: TakenBack,
): Promise<void> {
  const statement = `
    update ${schema}.history h set value = jsonb_set(h.value, '{target_record_id}', to_jsonb($1::uuid::text))
    from ${schema}.trash_parts p, json_array_elements_text(p.content) as e(sequence)
    where p.record_id = $1::uuid and p.kind = 'ended_references' and h.sequence = e.sequence::bigint
      and h.value ? 'target_record_id' and h.value->>'target_record_id' = $2::text`
  await tx.unsafe(statement, [id, mergedId], prepareOptions(statement))
}

/** The id of the other original, if it is in the trash. */
export async function findOtherOriginal(
  tx: Transaction,
  { schema }: DataModel,
  { id, mergedId, deletedAt }: TakenBack,
): Promise<string | undefined> {
  const statement = `select id from ${schema}.trash where merged_into = $2 and id <> $1 and deleted_at = $3`
  const parameters = [id, mergedId, timestampFromMicros(deletedAt)]
  const [row] = await tx.unsafe<{ id: string }[]>(statement, parameters, prepareOptions(statement))
  return row?.id
}

/** The original no longer redirects to the merged record. Records that were merged into the original lead to it again. */
export async function undoRedirections(
  tx: Transaction,
  { schema }: DataModel,
  { id }: TakenBack,
  earlierIds: readonly string[],
): Promise<void> {
  const redirect = `delete from ${schema}.merges where old_id = $1`
  await tx.unsafe(redirect, [id], prepareOptions(redirect))
  if (earlierIds.length === 0) return
  const parameters = [id, renderArray(earlierIds)]
  const merges = `update ${schema}.merges set new_id = $1 where old_id = any($2::uuid[])`
  await tx.unsafe(merges, parameters, prepareOptions(merges))
  const trash = `update ${schema}.trash set merged_into = $1 where id = any($2::uuid[])`
  await tx.unsafe(trash, parameters, prepareOptions(trash))
}
