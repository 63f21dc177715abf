/** The tables of every workspace whose rows a dump has, and what follows their insertion. */

import type { Transaction } from '#db/connect'
import type { DataModel } from '#engine/data-model/model'
import { WORKSPACE_TABLES } from '#engine/data-model/tables'

/** Qualified for SQL. */
export const dumpedTable = ({ schema }: Pick<DataModel, 'schema'>, name: 'history' | 'merges'): string =>
  `${schema}."${name}"`

/** Values that end later get greater numbers than those that were inserted with their own. */
export async function continueHistorySequence(tx: Transaction, { schema }: DataModel): Promise<void> {
  const [row] = await tx.unsafe<{ next: string }[]>(
    `select coalesce(max(sequence), 0) + 1 as next from ${schema}.history`,
  )
  // Citus cannot restart the sequence by `alter table`.
  await tx`select setval(pg_get_serial_sequence(${`${schema}.history`}, 'sequence'), ${row?.next ?? '1'}, false)`
}

/** Deletes what entities leave behind when they are deleted. */
export async function deleteRemains(tx: Transaction, { schema }: DataModel): Promise<void> {
  const tables = WORKSPACE_TABLES.filter(({ name }) => !SERVICE_TABLES.includes(name))
  for (const { name } of tables) await tx.unsafe(`delete from ${schema}."${name}"`)
}

/** Their rows are not about entities that exist no more. */
const SERVICE_TABLES = ['outbox', 'model']

/** Keeps the tables from being changed until the transaction ends. Reads and writes of rows continue. */
export async function lockTables(tx: Transaction, { schema, entityTypes }: DataModel): Promise<void> {
  const tables = [...entityTypes.map(({ table }) => table), `${schema}.history`, `${schema}."merges"`]
  await tx.unsafe(`lock table ${tables.join(', ')} in access share mode`)
}

/** Whether any entity type has an entity. */
export async function hasAnyEntities(tx: Transaction, { entityTypes }: DataModel): Promise<boolean> {
  for (const { table } of entityTypes) {
    const rows = await tx.unsafe(`select 1 from ${table} limit 1`)
    if (rows.length > 0) return true
  }
  return false
}

/** Collects the statistics that the planner needs, which autovacuum would only collect later. */
export async function analyzeTables(
  run: (statement: string) => Promise<unknown>,
  { schema, entityTypes }: DataModel,
): Promise<void> {
  for (const { table } of entityTypes) await run(`analyze ${table}`)
  for (const table of ['history', 'uniques', 'merges']) await run(`analyze ${schema}."${table}"`)
}
