/** Reads the records that an import wrote and that still exist, page by page. See docs/decisions/0140-undo-of-imports.md. */

import type { Sql } from '#db/connect'
import { prepareOptions } from '#db/prepared-statements'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { type Micros, timestampFromMicros } from '#base/timing/clock'

export interface WrittenByImport {
  readonly importId: string
  /** Records that are older existed before the import. */
  readonly startedAt: Micros
}

/** Records that the import changed and that existed before it, by their ids. `after` is the last id of the previous page. */
export async function readImportUpdates(
  sql: Sql,
  { schema }: DataModel,
  object: ObjectType,
  { importId, startedAt, after, limit }: WrittenByImport & { readonly after: string; readonly limit: number },
): Promise<readonly string[]> {
  const statement = `
    select distinct u.record_id from ${schema}.import_updates u join ${object.table} h on h.id = u.record_id
    where u.import_id = $1 and u.record_id > $2 and h.created_at < $3 order by u.record_id limit $4`
  const parameters = [importId, after, timestampFromMicros(startedAt), limit]
  const rows = await sql.unsafe<{ record_id: string }[]>(statement, parameters, prepareOptions(statement))
  return rows.map(({ record_id }) => record_id)
}

/** A place in the order in which the import created records. */
export interface CreationPlace {
  readonly sequence: number
  /** The place among the ids of one statement, from 1. */
  readonly index: number
}

export interface ImportCreation extends CreationPlace {
  readonly id: string
}

/** Records that the import created, in the order of creation. */
export async function readImportCreations(
  sql: Sql,
  { schema }: DataModel,
  object: ObjectType,
  { importId, after, limit }: { readonly importId: string; readonly after: CreationPlace; readonly limit: number },
): Promise<readonly ImportCreation[]> {
  const statement = `
    select c.sequence::float8 as sequence, r.index::int as index, r.id
    from ${schema}.import_creations c, unnest(c.record_ids) with ordinality r(id, index)
    where c.import_id = $1 and c.sequence >= $2 and (c.sequence > $2 or r.index > $3)
      and exists (select from ${object.table} h where h.id = r.id)
    order by c.sequence, r.index limit $4`
  const parameters = [importId, after.sequence, after.index, limit]
  return sql.unsafe<ImportCreation[]>(statement, parameters, prepareOptions(statement))
}

/** The records that the import created after its first `counted` creations: a process stores creations before it counts them. */
export async function readUncountedCreations(
  sql: Sql,
  { schema }: DataModel,
  { importId, counted }: { readonly importId: string; readonly counted: number },
): Promise<readonly string[]> {
  const statement = `
    select r.id from (
      select sequence, record_ids, sum(cardinality(record_ids)) over (order by sequence) - cardinality(record_ids) as before
      from ${schema}.import_creations where import_id = $1) c, unnest(c.record_ids) with ordinality r(id, index)
    where c.before + r.index > $2`
  const rows = await sql.unsafe<{ id: string }[]>(statement, [importId, counted], prepareOptions(statement))
  return rows.map(({ id }) => id)
}
