/**
 * Migrates the control tables: runs each migration of `migrations/` once, in the order of the names, forward only. The first one is the
 * base. See docs/decisions/migrations.md.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { distributeFunctions, distributeNewSchemas } from './citus'
import { type Database, StartError, type Transaction } from './connect'
import { PROGRAM_FOLDER } from './program'

interface Migration {
  readonly name: string
  readonly text: string
}

const FOLDER = join(PROGRAM_FOLDER, 'db/migrations')

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

/** The migration that creates all tables: a folder with a file for each subject. */
const BASE = '0170_base'

/** The last of the numbered migrations that the base replaces, and how many there were. */
const LAST_REPLACED = '0164_workers'
const REPLACED_COUNT = 66

const isReplaced = (name: string): boolean => name <= LAST_REPLACED

/** The database has only a part of the migrations that the base replaces. */
export class DatabaseTooOldError extends StartError {
  constructor(name: string) {
    super(
      `The database has migrations up to ${name} of an early version of Relata, which this version does not continue. Start the last version with the file db/migrations/${LAST_REPLACED}.sql once, then this one; in a clone of the repository, \`git log -1 --format=%P -- db/migrations/${LAST_REPLACED}.sql\` prints its commit.`,
    )
  }
}

/** Reads the migrations of this version, in order. */
export function readMigrations(): Migration[] {
  const filesIn = (folder: string) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.sql'))
      .sort()
  return [
    {
      name: BASE,
      text: filesIn(join(FOLDER, BASE))
        .map((file) => readFile(join(BASE, file)))
        .join('\n'),
    },
    ...filesIn(FOLDER).map((file) => ({ name: file.slice(0, -'.sql'.length), text: readFile(file) })),
  ]
}

const readFile = (path: string): string => readFileSync(join(FOLDER, path), 'utf8')

/** Applies the missing migrations in one transaction. Several processes may call it at the same time. */
export async function migrate(db: Database, migrations = readMigrations()): Promise<void> {
  await db.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended(${LOCK}, 0))`
    await distributeNewSchemas(tx, false)
    const applied = await appliedMigrations(tx)
    const isTakenOver = await takeOver(tx, applied)
    const names = new Set(migrations.map(({ name }) => name))
    const unknown = [...applied].find((name) => !names.has(name))
    if (unknown !== undefined) throw new DatabaseTooNewError(unknown)
    const missing = migrations.filter(({ name }) => !applied.has(name))
    for (const { name, text } of missing) {
      await tx.unsafe(`-- migration ${name}\n${text}`)
      await tx`insert into relata.migrations (name) values (${name})`
    }
    await distributeFunctions(tx)
    if (missing.length > 0 || isTakenOver) await tx`select pg_notify(${MIGRATION_CHANNEL}, '')`
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

/** Replaces the names of the migrations that the base replaces by the base, which makes the same control tables. Returns whether it did. */
async function takeOver(tx: Transaction, applied: Set<string>): Promise<boolean> {
  const replaced = [...applied].filter(isReplaced).sort()
  const last = replaced.at(-1)
  if (last === undefined) return false
  if (last !== LAST_REPLACED || replaced.length !== REPLACED_COUNT) throw new DatabaseTooOldError(last)
  await tx`delete from relata.migrations where name = any(${replaced})`
  await tx`insert into relata.migrations (name) values (${BASE})`
  for (const name of replaced) applied.delete(name)
  applied.add(BASE)
  return true
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
    const unknown = rows.find(({ name }) => !names.includes(name) && !isReplaced(name))
    if (unknown !== undefined) return { schema: 'newer', migration: unknown.name }
    const applied = new Set(rows.map(({ name }) => name))
    const missing = names.find((name) => !applied.has(name))
    return missing === undefined ? undefined : { schema: 'older', migration: missing }
  }
}
