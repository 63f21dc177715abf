/**
 * Migrates the database: runs each migration of `migrations/` once, in the order of the names, forward only. The first one is the base.
 * Those of control tables run in one transaction, and then those of workspaces for each workspace. See docs/decisions/migrations.md.
 */

import { createSchemasLocally, distributeFunctions, distributeNewTables } from './citus'
import { type Database, type Sql, StartError, type Transaction } from './connect'
import { migrateWorkspaces } from './migrate-workspaces'
import { VERSION } from './program'
import { BASE, type Migration, readMigrations, summaryOf } from './read-migrations'
import { allowLongTransaction } from './run-in-transaction'

/** A row of `relata.migrations`. */
interface AppliedMigration {
  readonly name: string
  /** The version of Relata that applied it. Null for versions that did not store it. */
  readonly version: string | null
}

/** The name of the advisory lock that a migrating process holds. */
const LOCK = 'relata migrate'

/** The notification channel of a migration. It has no payload. */
export const MIGRATION_CHANNEL = 'relata_migration'

/** The database has a migration of a newer version of Relata. */
export class DatabaseTooNewError extends StartError {
  constructor({ name, version }: AppliedMigration) {
    const needed = version === null ? 'the newer version' : `Relata ${version} or newer`
    super(
      `The database has the migration ${name}, which this version of Relata does not know (${VERSION}); start ${needed}, or restore a backup from before it.`,
    )
  }
}

/** A migration failed, and with it the transaction of all. */
class MigrationError extends StartError {
  constructor(name: string, cause: unknown, before: string | null) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    super(
      `The migration ${name} failed (${reason}). The database is as it was before: correct the cause and start again, or start ${before === null ? 'the version before' : `Relata ${before}`} again.`,
      { cause },
    )
  }
}

/** The last of the numbered migrations that the base replaces, and how many there were. */
const LAST_REPLACED = '0164_workers'
const REPLACED_COUNT = 66

const isReplaced = (name: string): boolean => name <= LAST_REPLACED

/** The database has only a part of the migrations that the base replaces. */
class DatabaseTooOldError extends StartError {
  constructor(name: string) {
    super(
      `The database has migrations up to ${name} of an early version of Relata, which this version does not continue. Start the last version with the file db/migrations/${LAST_REPLACED}.sql once, then this one; in a clone of the repository, \`git log -1 --format=%P -- db/migrations/${LAST_REPLACED}.sql\` prints its commit.`,
    )
  }
}

interface MigrateOptions {
  readonly migrations?: readonly Migration[]
  /** Gets a line for each migration of a database that has data, and one when another process migrates it. */
  readonly log?: (line: string) => void
}

/**
 * Applies the missing migrations. Several processes may call it at the same time: one migrates, and the others wait or go on with other
 * workspaces. Throws `StartError` for a database of a newer version, and when a migration fails; the control tables, or the workspace, are
 * then as they were.
 */
export async function migrate(
  db: Database,
  { migrations = readMigrations(), log = () => {} }: MigrateOptions = {},
): Promise<void> {
  await migrateControlTables(db, { migrations, log })
  await migrateWorkspaces(db, { migrations, log, lock: takeLock })
}

/** In one transaction. A migration of workspaces is only noted, so that older versions refuse the database from now on. */
async function migrateControlTables(db: Database, { migrations, log }: Required<MigrateOptions>): Promise<void> {
  let running: { readonly name: string; readonly before: string | null } | undefined
  const apply = async (tx: Transaction) => {
    await allowLongTransaction(tx)
    await lockMigrations(tx, log)
    await createSchemasLocally(tx)
    await createTable(tx)
    const rows = await readApplied(tx)
    const applied = new Set(rows.map(({ name }) => name))
    const isTakenOver = await takeOver(tx, applied)
    const unknown = findUnknown(rows, migrations)
    if (unknown !== undefined) throw new DatabaseTooNewError(unknown)
    const missing = migrations.filter(({ name }) => !applied.has(name))
    for (const migration of missing.filter(({ isOfWorkspaces }) => !isOfWorkspaces)) {
      const startedAt = performance.now()
      running = { name: migration.name, before: rows.at(-1)?.version ?? null }
      await tx.unsafe(`-- migration ${migration.name}\n${migration.text}`)
      if (applied.size > 0) log(describeStep(migration, performance.now() - startedAt))
    }
    running = undefined
    // The last of them may have made the column.
    for (const { name } of missing) await tx`insert into relata.migrations (name, version) values (${name}, ${VERSION})`
    await distributeFunctions(tx)
    if (missing.length > 0) await distributeNewTables(tx)
    if (missing.length > 0 || isTakenOver) await tx`select pg_notify(${MIGRATION_CHANNEL}, '')`
  }
  // A connection that is lost fails the transaction before its statement.
  await db.sql.begin(apply).catch((error: unknown) => {
    throw running === undefined ? error : new MigrationError(running.name, error, running.before)
  })
}

const describeStep = (migration: Migration, ms: number): string =>
  `Migration ${migration.name} (${(ms / 1000).toFixed(3)} s): ${summaryOf(migration)}`

async function lockMigrations(tx: Transaction, log: (line: string) => void): Promise<void> {
  const [lock] = await tx`select pg_try_advisory_xact_lock(hashtextextended(${LOCK}, 0)) as is_taken`
  if (lock?.is_taken === true) return
  log('Another process migrates the database; this one waits for its end.')
  await takeLock(tx)
}

const takeLock = (tx: Transaction) => tx`select pg_advisory_xact_lock(hashtextextended(${LOCK}, 0))`

/** Creates the table and its schema only when they are missing, so that a role without that right can start on a migrated database. */
async function createTable(tx: Transaction): Promise<void> {
  const [found] = await tx`select to_regclass('relata.migrations') is not null as exists`
  if (found?.exists === true) return
  await tx`create schema if not exists relata`
  await tx`
    create table relata.migrations (name text primary key, applied_at timestamptz not null default now(), version text)`
}

/** Reads the applied migrations, in order. Works without the column `version`, which older databases lack. */
async function readApplied(on: Sql | Transaction): Promise<AppliedMigration[]> {
  return on<AppliedMigration[]>`
    select name, to_jsonb(m) ->> 'version' as version from relata.migrations m order by name`
}

/** The newest of the migrations that this version does not know. The version that applied it knows them all. */
function findUnknown(applied: readonly AppliedMigration[], known: readonly Migration[]): AppliedMigration | undefined {
  const names = new Set(known.map(({ name }) => name))
  return applied.findLast(({ name }) => !names.has(name) && !isReplaced(name))
}

/** Replaces the names of the migrations that the base replaces by the base, which makes the same control tables. Returns whether it did. */
async function takeOver(tx: Transaction, applied: Set<string>): Promise<boolean> {
  const replaced = findReplaced([...applied])
  if (replaced.length === 0) return false
  await tx`delete from relata.migrations where name = any(${replaced})`
  await tx`insert into relata.migrations (name) values (${BASE})`
  for (const name of replaced) applied.delete(name)
  applied.add(BASE)
  return true
}

/** Returns the migrations that the base replaces: all of them, or none. Throws when the database has only a part of them. */
function findReplaced(applied: readonly string[]): string[] {
  const replaced = applied.filter(isReplaced).toSorted()
  const last = replaced.at(-1)
  if (last === undefined) return []
  if (last !== LAST_REPLACED || replaced.length !== REPLACED_COUNT) throw new DatabaseTooOldError(last)
  return replaced
}

export interface MigrationPlan {
  /** The version of Relata that migrated the database last; undefined when it is not known. */
  readonly version: string | undefined
  /** Whether the database has control tables. */
  readonly hasTables: boolean
  /** The migrations that a start of this version applies. */
  readonly missing: readonly Migration[]
}

/** Reads what a start of this version would do, and writes nothing. Throws the `StartError` with which a start would end. */
export async function planMigrations(sql: Sql): Promise<MigrationPlan> {
  const [known, rows] = [readMigrations(), await readAppliedIfAny(sql)]
  const unknown = findUnknown(rows, known)
  if (unknown !== undefined) throw new DatabaseTooNewError(unknown)
  const applied = new Set(rows.map(({ name }) => name))
  if (findReplaced([...applied]).length > 0) applied.add(BASE)
  return {
    version: rows.findLast((row) => row.version !== null)?.version ?? undefined,
    hasTables: rows.length > 0,
    missing: known.filter(({ name }) => !applied.has(name)),
  }
}

/** How the control tables differ from those that this version needs: the first migration that they lack, or the newest that is unknown. */
export type SchemaDifference =
  | { readonly schema: 'older'; readonly migration: string }
  | { readonly schema: 'newer'; readonly error: DatabaseTooNewError }

/**
 * Returns a function that compares the applied migrations with those of this version. It throws when the database cannot be
 * reached. It reads the migration files once, so it may be called often.
 */
export function createSchemaCheck(db: Pick<Database, 'sql'>): () => Promise<SchemaDifference | undefined> {
  const known = readMigrations()
  return async () => {
    const applied = await readAppliedIfAny(db.sql)
    const unknown = findUnknown(applied, known)
    if (unknown !== undefined) return { schema: 'newer', error: new DatabaseTooNewError(unknown) }
    const names = new Set(applied.map(({ name }) => name))
    const missing = known.find(({ name }) => !names.has(name))
    return missing === undefined ? undefined : { schema: 'older', migration: missing.name }
  }
}

async function readAppliedIfAny(sql: Sql): Promise<AppliedMigration[]> {
  const [found] = await sql<[{ exists: boolean }]>`select to_regclass('relata.migrations') is not null as exists`
  return found.exists ? readApplied(sql) : []
}
