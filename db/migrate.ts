/** Migrates the control tables: runs each file of `migrations/` once, in the order of the names, forward only. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { distributeFunctions, distributeNewSchemas } from './citus'
import { type Database, StartError, type Transaction } from './connect'

interface Migration {
  readonly name: string
  readonly text: string
}

const FOLDER = join(import.meta.dir, 'migrations')

/** The name of the advisory lock that a migrating process holds. */
const LOCK = 'relata migrate'

/** The notification channel of a migration. It has no payload. */
export const MIGRATION_CHANNEL = 'relata_migration'

/** The database has a migration of a newer version of Relata. */
export class DatabaseTooNewError extends StartError {
  constructor(name: string) {
    super(
      `The database has the migration ${name}, which this version of Relata does not know; start the newer version, or restore a backup from before it.`,
    )
  }
}

/** Reads the migrations of this version, in order. */
export function readMigrations(folder = FOLDER): Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  return files
    .sort()
    .map((file) => ({ name: file.slice(0, -'.sql'.length), text: readFileSync(join(folder, file), 'utf8') }))
}

/** Applies the missing migrations in one transaction. Several processes may call it at the same time. */
export async function migrate(db: Database, migrations = readMigrations()): Promise<void> {
  await db.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended(${LOCK}, 0))`
    await distributeNewSchemas(tx, false)
    const applied = await appliedMigrations(tx)
    const names = new Set(migrations.map(({ name }) => name))
    const unknown = [...applied].find((name) => !names.has(name))
    if (unknown !== undefined) throw new DatabaseTooNewError(unknown)
    const missing = migrations.filter(({ name }) => !applied.has(name))
    for (const { name, text } of missing) {
      await tx.unsafe(`-- migration ${name}\n${text}`)
      await tx`insert into relata.migrations (name) values (${name})`
    }
    await distributeFunctions(tx)
    if (missing.length > 0) await tx`select pg_notify(${MIGRATION_CHANNEL}, '')`
  })
}

/** Creates the schema only when it is missing, so that a role without that right can start on a migrated database. */
async function appliedMigrations(tx: Transaction): Promise<Set<string>> {
  const [found] = await tx`select to_regclass('relata.migrations') is not null as exists`
  if (found?.exists !== true) {
    await tx`create schema if not exists relata`
    await tx`create table relata.migrations (name text primary key, applied_at timestamptz not null default now())`
  }
  const rows = await tx<{ name: string }[]>`select name from relata.migrations`
  return new Set(rows.map(({ name }) => name))
}

/** How the control tables differ from those that this version needs, and the first migration that makes the difference. */
export interface SchemaDifference {
  readonly schema: 'older' | 'newer'
  readonly migration: string
}

/**
 * Returns a function that compares the applied migrations with those of this version. It throws when the database cannot be
 * reached. It reads the migration files once, so it may be called often.
 */
export function createSchemaCheck(db: Pick<Database, 'sql'>): () => Promise<SchemaDifference | undefined> {
  const names = readMigrations().map(({ name }) => name)
  return async () => {
    const [found] = await db.sql<[{ exists: boolean }]>`select to_regclass('relata.migrations') is not null as exists`
    const rows = found.exists ? await db.sql<{ name: string }[]>`select name from relata.migrations order by name` : []
    const unknown = rows.find(({ name }) => !names.includes(name))
    if (unknown !== undefined) return { schema: 'newer', migration: unknown.name }
    const applied = new Set(rows.map(({ name }) => name))
    const missing = names.find((name) => !applied.has(name))
    return missing === undefined ? undefined : { schema: 'older', migration: missing }
  }
}
