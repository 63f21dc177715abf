/**
 * Removes what a deleted workspace has in the database, in steps of one transaction each. A step that is repeated finds less or nothing,
 * so a removal that was interrupted begins anew. See docs/decisions/workspace-deletion.md.
 */

import type { Sql } from '#db/connect'
import { workspaceSchemaName } from '#engine/data-model/names'
import { dropTable } from '#engine/data-model/tables'

/** A step removes as many rows, or reads as many pages of a table that has no index by workspace. */
const ROWS_AT_ONCE = 1_000
const PAGES_AT_ONCE = 1_000
/** A table that is in use, such as by a backup, is tried again later. */
const LOCK_TIMEOUT = '2s'

/** Drops the tables of the workspace one by one, because each drop takes locks, and then its schema. */
export async function* dropSchema(sql: Sql, workspaceNumber: number): AsyncGenerator<void> {
  const schema = workspaceSchemaName(workspaceNumber)
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = ${schema} order by tablename`
  for (const { name } of tables) {
    await runWithLockTimeout(sql, dropTable(name))
    yield
  }
  await runWithLockTimeout(sql, `drop schema if exists ${schema} cascade`)
  yield
}

const runWithLockTimeout = (sql: Sql, command: string) =>
  sql.begin(async (tx) => {
    await tx.unsafe(`set local lock_timeout = '${LOCK_TIMEOUT}'`)
    await tx.unsafe(command)
  })

interface ControlTable {
  readonly name: string
  /** The other tables whose rows refer to its rows, separated by spaces. */
  readonly referenced_by: string
  /** Whether its rows refer to each other, so that one statement has to delete them. */
  readonly refers_to_itself: boolean
  /** Whether an index finds the rows of a workspace. */
  readonly is_indexed: boolean
  readonly pages: number
}

/** Deletes the rows of the workspace from all control tables with the column `workspace_id`, except those named. */
export async function* deleteControlRows(
  sql: Sql,
  workspaceId: string,
  except: readonly string[],
): AsyncGenerator<void> {
  const left = (await listControlTables(sql)).filter(({ name }) => !except.includes(name))
  while (left.length > 0) {
    const names = new Set(left.map(({ name }) => name))
    const next = left.findIndex(({ referenced_by }) => !referenced_by.split(' ').some((other) => names.has(other)))
    const [table] = left.splice(Math.max(next, 0), 1)
    if (table !== undefined) yield* deleteRows(sql, table, workspaceId)
  }
}

/** Lists partitions in place of the tables that have them. */
const listControlTables = (sql: Sql): Promise<ControlTable[]> => sql<ControlTable[]>`
  select c.relname as name, coalesce((
      select string_agg(o.relname, ' ') from pg_constraint k join pg_class o on o.oid = k.conrelid
      where k.confrelid = c.oid and k.contype = 'f' and o.oid <> c.oid), '') as referenced_by,
    exists (
      select from pg_constraint k where k.conrelid = c.oid and k.confrelid = c.oid and k.confdeltype = 'a') as refers_to_itself,
    exists (
      select from pg_index i where i.indrelid = c.oid and i.indpred is null and i.indkey[0] = a.attnum) as is_indexed,
    (pg_relation_size(c.oid) / current_setting('block_size')::int)::int as pages
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped
  where c.relnamespace = 'relata'::regnamespace and c.relkind = 'r' order by c.relname`

async function* deleteRows(sql: Sql, table: ControlTable, workspaceId: string): AsyncGenerator<void> {
  const { name, is_indexed, refers_to_itself, pages } = table
  const from = sql(`relata.${name}`)
  if (!is_indexed) {
    for (let page = 0; page < pages; page += PAGES_AT_ONCE) {
      await sql`
        delete from ${from} where ctid >= ${`(${page},0)`}::text::tid and ctid < ${`(${page + PAGES_AT_ONCE},0)`}::text::tid
          and workspace_id = ${workspaceId}`
      yield
    }
    return
  }
  const limit = refers_to_itself ? null : ROWS_AT_ONCE
  for (;;) {
    const { count } = await sql`
      delete from ${from} where ctid = any(array(
        select ctid from ${from} where workspace_id = ${workspaceId} limit ${limit}::int))`
    yield
    if (limit === null || count < limit) return
  }
}
