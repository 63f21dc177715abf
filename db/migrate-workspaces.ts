/**
 * Migrates the tables in the schemas of workspaces. Each workspace has one transaction for the migrations that it lacks, so few locks are needed,
 * however many workspaces there are, and the next call goes on where this one was interrupted. See docs/decisions/migrations.md.
 */

import { sendCommands } from './citus'
import { type Database, type Sql, StartError, type Transaction } from './connect'
import type { Migration } from './read-migrations'
import { allowLongTransaction } from './run-in-transaction'

interface WaitingWorkspace {
  readonly id: string
  readonly number: number
  readonly slug: string
}

export interface WorkspaceMigrationOptions {
  /** All migrations, in order. */
  readonly migrations: readonly Migration[]
  readonly log: (line: string) => void
  /** Locks the migrations of other processes out until the transaction ends. */
  readonly lock: (tx: Transaction) => Promise<unknown>
}

/** A migration failed for a workspace, and with it the transaction of this workspace. */
class WorkspaceMigrationError extends StartError {
  constructor(name: string, { number, slug }: WaitingWorkspace, cause: unknown, left: number) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    super(
      `The migration ${name} of the workspace ${slug} (w_${number}) failed (${reason}). This workspace is as it was before; ${left} workspaces lack the migration. Correct the cause and start again.`,
      { cause },
    )
  }
}

/** A line of the log says how far they are. */
const LOG_EVERY = 1_000

/** The name of the last migration of workspaces, which a new workspace gets. Empty when there is none. */
export const lastOfWorkspaces = (migrations: readonly Migration[]): string =>
  migrations.findLast(({ isOfWorkspaces }) => isOfWorkspaces)?.name ?? ''

/** Several processes may call it at the same time: they take turns, a workspace each. Throws `StartError` when a migration fails. */
export async function migrateWorkspaces(db: Database, options: WorkspaceMigrationOptions): Promise<void> {
  const { migrations, log } = options
  const last = lastOfWorkspaces(migrations)
  if (last === '') return
  const waiting = await listWaiting(db.sql, last)
  if (waiting.length === 0) return
  const startedAt = performance.now()
  for (const [index, workspace] of waiting.entries()) {
    await migrateWorkspace(db, workspace, { ...options, left: waiting.length - index })
    if ((index + 1) % LOG_EVERY === 0) log(`${index + 1} of ${waiting.length} workspaces are migrated.`)
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(3)
  log(`The tables of ${waiting.length} workspaces are migrated, up to ${last} (${seconds} s).`)
}

/** Those that lack a migration. */
const listWaiting = (sql: Sql, last: string): Promise<WaitingWorkspace[]> => sql<WaitingWorkspace[]>`
  select id, number, slug from relata.all_workspaces w
  where tables_migration <> ${last} and ${isNotBeingRemoved(sql)} order by number`

/** A removal drops the tables one by one. */
const isNotBeingRemoved = (sql: Sql | Transaction) => sql`not exists (
  select from relata.workspace_removals r where r.workspace_id = w.id and r.begun_at is not null)`

async function migrateWorkspace(
  db: Database,
  workspace: WaitingWorkspace,
  { migrations, lock, left }: WorkspaceMigrationOptions & { readonly left: number },
): Promise<void> {
  let running: string | undefined
  const apply = async (tx: Transaction) => {
    await allowLongTransaction(tx)
    await lock(tx)
    const [row] = await tx<{ applied: string }[]>`
      select tables_migration as applied from relata.all_workspaces w
      where id = ${workspace.id} and ${isNotBeingRemoved(tx)} for update`
    if (row === undefined) return
    const missing = migrations.filter(({ name, isOfWorkspaces }) => isOfWorkspaces && name > row.applied)
    for (const migration of missing) {
      running = migration.name
      await sendCommands(tx, commandsFor(migration, workspace.number, await listEntityTables(tx, workspace.number)))
    }
    running = undefined
    await tx`
      update relata.all_workspaces set tables_migration = ${lastOfWorkspaces(migrations)} where id = ${workspace.id}`
  }
  // A connection that is lost fails the transaction before its statement.
  await db.sql.begin(apply).catch((error: unknown) => {
    throw running === undefined ? error : new WorkspaceMigrationError(running, workspace, error, left)
  })
}

/** The tables of records and entries. A migration before this one may have made some. */
async function listEntityTables(tx: Transaction, number: number): Promise<string[]> {
  const rows = await tx<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = ${`w_${number}`} and tablename ~ '^[oal]_[0-9]+$' order by 1`
  return rows.map(({ name }) => name)
}

/** The commands of a migration for one workspace. One that names `{table}` comes once for each table of records or entries. */
export function commandsFor({ text }: Migration, number: number, tables: readonly string[]): string[] {
  const schema = `"w_${number}"`
  return text
    .replaceAll(/^--.*\n/gm, '')
    .split(/;\s*(?:\n|$)/)
    .map((command) => command.trim().replaceAll('{schema}', schema))
    .filter((command) => command !== '')
    .flatMap((command) =>
      command.includes('{table}')
        ? tables.map((name) => command.replaceAll('{table}', `${schema}."${name}"`).replaceAll('{name}', name))
        : command,
    )
}
