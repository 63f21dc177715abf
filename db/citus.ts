/**
 * Support for Citus, which places the schema of each workspace on a node. The functions do nothing in a database without the
 * extension, except `sendCommands`. See docs/scaling.md (Citus); docs/decisions/distribution.md.
 */

import { connect, type ConnectOptions, type Database, type Sql, type Transaction } from './connect'

/** The function that moves a schema exists since Citus 12.1, the oldest version that the service supports. */
const MOVE_FUNCTION = 'citus_schema_move'

/** The functions of `relata` that statements over workspace tables call, directly or through another one. They read no table. */
export const WORKSPACE_FUNCTION = /^(joined_text|text_hashes|search_[a-z]+|write_conflict)$/

export async function hasCitus(sql: Sql | Transaction): Promise<boolean> {
  const [found] = await sql`select 1 from pg_proc where proname = ${MOVE_FUNCTION} limit 1`
  return found !== undefined
}

/** Makes pools as `connect` does, for a database that Citus may distribute. */
export async function connectToAny(url: string, options: ConnectOptions): Promise<Database> {
  const db = connect(url, options)
  try {
    if (!(await hasCitus(db.sql))) return db
  } catch (error) {
    await db.close()
    throw error
  }
  await db.close()
  return connect(url, { ...options, isDistributed: true })
}

/** Lets the transaction make triggers of tables of workspaces. They read nothing but their row, so they are right on every node. */
export async function allowTriggers(tx: Transaction): Promise<void> {
  if (!(await hasCitus(tx))) return
  await tx`select set_config('citus.enable_unsafe_triggers', 'on', true)`
}

/** Citus distributes no schema that the rest of the transaction creates, whatever its setting. */
export async function createSchemasLocally(tx: Transaction): Promise<void> {
  if (!(await hasCitus(tx))) return
  await tx`select set_config('citus.enable_schema_based_sharding', 'off', true)`
}

/**
 * Distributes a new schema with its tables, and all tables that it gets. The tables have their settings before, because Citus cannot
 * change the storage of a column of a distributed table. `schema` is quoted.
 */
export async function distributeSchema(tx: Transaction, schema: string): Promise<void> {
  if (!(await hasCitus(tx))) return
  await tx`select citus_schema_distribute(${schema}::regnamespace)`
}

/** Distributes the tables that a migration has added to distributed schemas: Citus leaves out those that a function creates. */
export async function distributeNewTables(tx: Transaction): Promise<void> {
  if (!(await hasCitus(tx))) return
  await tx`
    select create_distributed_table(c.oid, null, colocate_with := format('%s.model', c.relnamespace::regnamespace))
    from pg_class c
    where c.relkind = 'r' and c.relnamespace in (select schemaid from pg_dist_schema)
      and not exists (select from pg_dist_partition where logicalrelid = c.oid)
    order by c.oid`
}

/**
 * Creates the functions of `relata` that statements over workspace tables call on all nodes. Citus also creates them on nodes
 * that are added later.
 */
export async function distributeFunctions(tx: Transaction): Promise<void> {
  if (!(await hasCitus(tx))) return
  const functions = await tx<{ name: string }[]>`
    select p.oid::regprocedure::text as name from pg_proc p
    where p.pronamespace = 'relata'::regnamespace and p.proname ~ ${WORKSPACE_FUNCTION.source}
      and not exists (select from pg_dist_object where classid = 'pg_proc'::regclass and objid = p.oid)
    order by p.oid`
  for (const { name } of functions) await tx`select create_distributed_function(${name}::regprocedure)`
}

/**
 * Changes a table of a workspace where its rows are. Citus refuses some changes of a distributed table, which its nodes allow. `table` is
 * qualified and quoted.
 */
export async function alterStored(sql: Sql, table: string, change: string): Promise<void> {
  if (!(await hasCitus(sql))) return void (await sql.unsafe(`alter table ${table} ${change}`))
  const command = `alter table %s ${change.replaceAll('%', '%%')}`
  const shards = await sql<{ success: boolean; result: string }[]>`
    select success, result from run_command_on_shards(${table}, ${command}::text)`
  for (const { success, result } of shards) if (!success) throw new Error(result)
}

/**
 * Runs a query where the rows of a table of a workspace are, and returns the one value that it finds, as text; null for none. `'%s'` in the query, with
 * its quotes, stands for the name of the table. The statistics of PostgreSQL are on the node.
 */
export async function readStored(
  { sql, isDistributed }: Pick<Database, 'sql' | 'isDistributed'>,
  table: string,
  query: string,
): Promise<string | null> {
  if (!isDistributed) {
    const text = `select (${query.replaceAll(`'%s'`, '$1::text')})::text as result`
    const [row] = await sql.unsafe<{ result: string | null }[]>(text, [table], { prepare: true })
    return row?.result ?? null
  }
  const [shard] = await sql<{ success: boolean; result: string | null }[]>`
    select success, result from (select to_regclass(${table}) as found) t, run_command_on_shards(t.found, ${query}::text)
    where t.found is not null`
  if (shard?.success === false) throw new Error(shard.result ?? '')
  return shard?.result || null
}

export interface IndexScans {
  readonly schema: string
  readonly index: string
  readonly scans: string
}

/** How often the nodes have used each index of the workspaces, whose names there end with a number. */
export async function readScansOnNodes(sql: Sql): Promise<IndexScans[]> {
  const nodes = await sql<{ success: boolean; result: string }[]>`
    select success, result from run_command_on_all_nodes(${`
      select coalesce(json_agg(json_build_object('schema', schemaname, 'index', substring(indexrelname from '^(.*)_[0-9]+$'), 'scans', idx_scan::text)), '[]')
      from pg_stat_user_indexes where schemaname ~ '^w_[0-9]+$' and idx_scan > 0 and relname ~ '_[0-9]{6,}$'`})`
  for (const { success, result } of nodes) if (!success) throw new Error(result)
  return nodes.flatMap(({ result }) => JSON.parse(result) as IndexScans[]) // the members are those of the query
}

/** Moves a schema to the node. The tables stay in use meanwhile. */
export async function moveSchema(sql: Sql, schema: string, node: { host: string; port: number }): Promise<void> {
  await sql`select citus_schema_move(${schema}::regnamespace, ${node.host}::text, ${node.port}::int)`
}

/**
 * Sends each of the commands that change tables in a separate message, because Citus refuses to distribute a message with several commands.
 * The connection pipelines them. Throws the first failure.
 */
export async function sendCommands(tx: Transaction, commands: readonly string[]): Promise<void> {
  await Promise.all(commands.map((command) => tx.unsafe(command)))
}
