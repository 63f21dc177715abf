/** Brings the control tables up to date: every file of `migrations/` once, in order of its name, forward only. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database, Transaction } from './connect'

interface Migration {
  readonly name: string
  readonly text: string
}

const FOLDER = join(import.meta.dir, 'migrations')

/** Names the advisory lock under which one process migrates while the others wait. */
const LOCK = 'relata migrate'

/** The database was written by a newer version, which this one cannot know how to use. */
export class DatabaseTooNew extends Error {
  constructor(name: string) {
    super(`The database has the migration ${name}, which this version of Relata does not know; start a newer version.`)
  }
}

/** The migrations of this version, in order. */
export function readMigrations(folder = FOLDER): Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  return files
    .sort()
    .map((file) => ({ name: file.slice(0, -'.sql'.length), text: readFileSync(join(folder, file), 'utf8') }))
}

/** Applies what is missing, all of it or nothing. Safe to call from any number of processes at once. */
export async function migrate(db: Database, migrations = readMigrations()): Promise<void> {
  await db.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended(${LOCK}, 0))`
    const applied = await appliedMigrations(tx)
    const known = new Set(migrations.map(({ name }) => name))
    const unknown = [...applied].find((name) => !known.has(name))
    if (unknown !== undefined) throw new DatabaseTooNew(unknown)
    for (const { name, text } of migrations) {
      if (applied.has(name)) continue
      await tx.unsafe(text)
      await tx`insert into relata.migrations (name) values (${name})`
    }
  })
}

/** Looks before it creates: a role that may not create schemas can still start on a migrated database. */
async function appliedMigrations(tx: Transaction): Promise<Set<string>> {
  const [found] = await tx`select to_regclass('relata.migrations') is not null as exists`
  if (found?.exists !== true) {
    await tx.unsafe(`
      create schema if not exists relata;
      create table relata.migrations (name text primary key, applied_at timestamptz not null default now());
    `)
  }
  const rows = await tx<{ name: string }[]>`select name from relata.migrations`
  return new Set(rows.map(({ name }) => name))
}
