/** Reads and deletes what the workspace stores of imports. See docs/decisions/import-runs-and-undo.md. */

import { renderArray, type Sql, type Transaction } from '#db/connect'
import { prepareOptions } from '#db/prepared-statements'
import type { DataModel, EntityType } from '#engine/data-model/model'
import type { PreviousValues } from './import-step'
import { type Micros, microsFromPostgres } from '#base/timing/clock'

export interface ImportUpdate {
  readonly writtenAt: Micros
  /** The values before it of the attributes without a history that it changed. */
  readonly previous: PreviousValues
}

/** The updates of a record by an import, oldest first. */
export async function readImportUpdatesOf(
  sql: Sql | Transaction,
  { schema }: DataModel,
  { importId, id }: { readonly importId: string; readonly id: string },
): Promise<readonly ImportUpdate[]> {
  const statement = `
    select written_at, previous::text from ${schema}.import_updates where import_id = $1 and record_id = $2
    order by written_at`
  const rows = await sql.unsafe<{ written_at: string; previous: string | null }[]>(
    statement,
    [importId, id],
    prepareOptions(statement),
  )
  return rows.map(({ written_at, previous }) => ({
    writtenAt: microsFromPostgres(written_at),
    previous: previous === null ? {} : (JSON.parse(previous) as PreviousValues), // `previousValues` makes it
  }))
}

/** After their values were put back. */
export async function deleteImportUpdates(
  sql: Sql,
  { schema }: DataModel,
  { importId, id }: { readonly importId: string; readonly id: string },
): Promise<void> {
  const statement = `delete from ${schema}.import_updates where import_id = $1 and record_id = $2`
  await sql.unsafe(statement, [importId, id], prepareOptions(statement))
}

/** Their previous values are values of the records, which are deleted for good. */
export async function erasePreviousValues(
  tx: Transaction,
  { schema }: DataModel,
  recordIds: readonly string[],
): Promise<void> {
  const statement = `delete from ${schema}.import_updates where record_id = any($1::uuid[])`
  await tx.unsafe(statement, [renderArray(recordIds)], prepareOptions(statement))
}

const TABLES = ['import_creations', 'import_updates']

/** After this, the imports cannot be undone. `schema` is quoted, as in `DataModel.schema`. */
export async function deleteWrittenBy(sql: Sql, schema: string, importIds: readonly string[]): Promise<void> {
  for (const table of TABLES) {
    const statement = `delete from ${schema}.${table} where import_id = any($1::uuid[])`
    await sql.unsafe(statement, [renderArray(importIds)], prepareOptions(statement))
  }
}

/** When the object is deleted. */
export async function deleteImportsInto(tx: Transaction, { schema }: DataModel, { number }: EntityType): Promise<void> {
  for (const table of TABLES) {
    const statement = `delete from ${schema}.${table} where object = $1`
    await tx.unsafe(statement, [number], prepareOptions(statement))
  }
}
