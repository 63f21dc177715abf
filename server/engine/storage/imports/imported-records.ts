/** Whether records were changed since an import wrote them. See docs/decisions/0140-undo-of-imports.md. */

import type { Sql } from '#db/connect'
import { prepareOptions } from '#db/prepared-statements'
import { type DataModel, type ObjectType, SYSTEM_ACTOR } from '#engine/data-model/model'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import { listsOf } from '#engine/storage/parent'
import type { WrittenByImport } from './walk-import'

export interface ImportedRecord {
  readonly version: number
  readonly createdAt: Micros
  /** Whether somebody changed its values or added it to a list. What the service computes does not count. */
  readonly isChanged: boolean
}

/** Undefined if the record does not exist. */
export async function findImportedRecord(
  sql: Sql,
  model: DataModel,
  object: ObjectType,
  { importId, id }: { readonly importId: string; readonly id: string },
): Promise<ImportedRecord | undefined> {
  const statement = `
    select h.version, h.created_at, ${changedSql(model, object)} as is_changed from ${object.table} h where h.id = $2`
  const [row] = await sql.unsafe<{ version: number; created_at: string; is_changed: boolean }[]>(
    statement,
    [importId, id],
    prepareOptions(statement),
  )
  return (
    row && { version: row.version, createdAt: microsFromPostgres(row.created_at), isChanged: row.is_changed === true }
  )
}

export interface ImportedCounts {
  /** The records that the import created and that exist. */
  readonly created: number
  /** Those of them that were changed since. */
  readonly changed: number
  /** The records that existed before, exist now, and were changed by the import. */
  readonly updated: number
}

export async function countImported(
  sql: Sql,
  model: DataModel,
  object: ObjectType,
  { importId, startedAt }: WrittenByImport,
): Promise<ImportedCounts> {
  const { schema } = model
  const statement = `
    with created as (
      select count(*)::int as created, (count(*) filter (where ${changedSql(model, object)}))::int as changed
      from ${schema}.import_creations c, unnest(c.record_ids) r(id) join ${object.table} h on h.id = r.id
      where c.import_id = $1),
    updated as (
      select count(distinct u.record_id)::int as updated
      from ${schema}.import_updates u join ${object.table} h on h.id = u.record_id
      where u.import_id = $1 and h.created_at < $2)
    select created, changed, updated from created, updated`
  const [row] = await sql.unsafe<ImportedCounts[]>(
    statement,
    [importId, timestampFromMicros(startedAt)],
    prepareOptions(statement),
  )
  return row ?? { created: 0, changed: 0, updated: 0 }
}

/**
 * SQL over the row `h` with the import as `$1`. Most records were never written again, so the version comes first. The time of the
 * last write tells of emptied attributes without a history.
 */
function changedSql(model: DataModel, object: ObjectType): string {
  const { schema } = model
  const byOther = (actor: string, at: string) => `${actor} <> ${SYSTEM_ACTOR} and not exists (
    select from ${schema}.import_updates u where u.import_id = $1 and u.record_id = h.id and u.written_at = ${at})`
  const writtenAt = `timestamptz 'epoch' + (e->>0)::bigint * interval '1 microsecond'`
  const entries = listsOf(model, object).map(
    ({ table }) => `or exists (select from ${table} l where l.parent_record_id = h.id)`,
  )
  return `(h.version > 1 and (
      (h.updated_at <> h.created_at and ${byOther('h.updated_by', 'h.updated_at')})
      or exists (
        select from jsonb_each(h.provenance) p, jsonb_array_elements(p.value) e
        where p.key <> 'refreshes' and jsonb_typeof(e) = 'array' and ${byOther('(e->>1)::int', writtenAt)})
      or exists (
        select from ${schema}.history x where x.entity_id = h.id and ${byOther('x.ended_by', 'x.active_until')}))
    ${entries.join(' ')})`
}
