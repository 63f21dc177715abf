/**
 * Support for Citus, which places the schema of each workspace on a node. The functions do nothing in a database without the
 * extension, except `sendCommands`. See docs/scaling.md (Citus); docs/decisions/distribution.md.
 */

import type { Sql, Transaction } from './connect'

/** The function that moves a schema exists since Citus 12.1, the oldest version that the service supports. */
const MOVE_FUNCTION = 'citus_schema_move'

/** The functions of `relata` that statements over workspace tables call, directly or through another one. They read no table. */
export const WORKSPACE_FUNCTION = /^(joined_text|text_hashes|search_[a-z]+)$/

export async function hasCitus(sql: Sql | Transaction): Promise<boolean> {
  const [found] = await sql`select 1 from pg_proc where proname = ${MOVE_FUNCTION} limit 1`
  return found !== undefined
}

/** Sets whether Citus distributes the schemas that the rest of the transaction creates. */
export async function distributeNewSchemas(tx: Transaction, isDistributed: boolean): Promise<void> {
  if (!(await hasCitus(tx))) return
  await tx`select set_config('citus.enable_schema_based_sharding', ${isDistributed ? 'on' : 'off'}, true)`
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
