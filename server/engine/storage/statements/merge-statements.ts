/** Statements over what belongs to the two originals of a merge, and the table of merges. */

import { renderArray, type Sql, type Transaction } from '#db/connect'
import type { DataModel, ListType, RecordType } from '#engine/data-model/model'
import { timestampFromMicros } from '#base/timing/clock'
import { parentUniqueKey } from '#engine/storage/read-entities'
import type { Stamp } from '#engine/storage/provenance'
import type { Redirection } from './reference-statements'

/** Gives the history of the originals to the new record. */
export async function moveHistory(tx: Transaction, model: DataModel, { ids, newId }: Redirection): Promise<void> {
  await tx.unsafe(`update ${model.schema}.history set entity_id = $1 where entity_id = any($2::uuid[])`, [
    newId,
    renderArray(ids),
  ])
}

/** Gives the entries of the originals in one list to the new record. Two entries stay two. */
export async function moveEntries(
  tx: Transaction,
  model: DataModel,
  list: ListType,
  { ids, newId }: Redirection,
  { now, actor }: Stamp,
): Promise<void> {
  // No request can ask for the one entry of a record that no longer exists.
  const { attribute } = parentUniqueKey(list, newId)
  const deleteKeys = `delete from ${model.schema}.uniques where attribute = $1 and key = any($2::text[])`
  await tx.unsafe(deleteKeys, [attribute, renderArray(ids)])
  await tx.unsafe(
    `update ${list.table} set parent_record_id = $1, version = version + 1, updated_at = $3, updated_by = $4
     where parent_record_id = any($2::uuid[])`,
    [newId, renderArray(ids), timestampFromMicros(now), actor],
  )
}

/** Stores which record the originals became. Records that were merged into an original lead to the new record too. */
export async function insertMerge(
  tx: Transaction,
  { schema }: DataModel,
  { ids, newId }: Redirection,
  { now, actor }: Stamp,
): Promise<void> {
  await tx.unsafe(`update ${schema}.merges set new_id = $1 where new_id = any($2::uuid[])`, [newId, renderArray(ids)])
  await tx.unsafe(
    `insert into ${schema}.merges (old_id, new_id, merged_at, merged_by) select unnest($2::uuid[]), $1, $3, $4`,
    [newId, renderArray(ids), timestampFromMicros(now), actor],
  )
}

/** The record of the object that a record was merged into, if it was. The record may be in the trash. */
export async function findMergedInto(
  sql: Sql,
  { schema }: DataModel,
  { number, table }: RecordType,
  id: string,
): Promise<string | undefined> {
  const query = `
    select new_id from ${schema}.merges m where old_id = $1 and (exists (select 1 from ${table} where id = m.new_id)
      or exists (select 1 from ${schema}.trash t where t.id = m.new_id and t.object = $2))`
  const [row] = await sql.unsafe<{ new_id: string }[]>(query, [id, number])
  return row?.new_id
}
