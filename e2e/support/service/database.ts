/** One database for each test file, and read access to it without the API. */

import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { SECRET_KEY } from './start'

const ROOT = join(import.meta.dir, '../../..')
const MIGRATIONS = join(ROOT, 'db/migrations')

export interface FreshDatabase {
  readonly url: string
  drop(): Promise<void>
}

export type Reader = postgres.Sql

/** Creates a database with all tables and no rows on the server of TEST_ADMIN_URL. */
export async function freshDatabase(): Promise<FreshDatabase> {
  return copyOf(await asAdmin(ensureTemplate))
}

/** Creates a database without tables, into which a backup is restored. */
export const emptyDatabase = (): Promise<FreshDatabase> => copyOf('template0')

/** Copies a database that has no connections, as an operator copies one for a test system. */
export const copyDatabase = (url: string): Promise<FreshDatabase> => copyOf(new URL(url).pathname.slice(1))

async function copyOf(template: string): Promise<FreshDatabase> {
  const name = `relata_e2e_${randomBytes(8).toString('hex')}`
  await asAdmin((sql) => sql.unsafe(`create database ${name} template ${template}`))
  return { url: urlOf(name), drop: () => asAdmin((sql) => dropDatabase(sql, name)) }
}

/** Drops the database, and then the roles of its workspaces, which belong to the whole server. */
async function dropDatabase(sql: Reader, name: string): Promise<void> {
  const roles = await sql<{ role: string }[]>`
    select r.rolname as role from pg_database d join pg_roles r on starts_with(r.rolname, 'relata_sql_' || d.oid || '_')
    where d.datname = ${name}`
  await sql.unsafe(`drop database if exists ${name} with (force)`)
  for (const { role } of roles) await sql.unsafe(`drop role "${role}"`)
}

/**
 * Runs the migrations once, as `bun relata migrate`, in a database that is copied from then on, and returns its name. It has another
 * name until it is complete, so that no incomplete one is copied.
 */
async function ensureTemplate(sql: Reader): Promise<string> {
  const name = `relata_e2e_template_${hashOfMigrations()}`
  const exists = async () => (await sql`select 1 from pg_database where datname = ${name}`).length > 0
  if (await exists()) return name
  await sql`select pg_advisory_lock(hashtextextended(${name}, 0))`
  if (!(await exists())) {
    await sql.unsafe(`drop database if exists ${name}_unfinished with (force)`)
    await sql.unsafe(`create database ${name}_unfinished`)
    await migrate(urlOf(`${name}_unfinished`))
    await switchContactsOff(urlOf(`${name}_unfinished`))
    await sql.unsafe(`alter database ${name}_unfinished rename to ${name}`)
  }
  await sql`select pg_advisory_unlock(hashtextextended(${name}, 0))`
  return name
}

/** Workspaces of tests create no contacts, so that tests count the records and events of their own writes only. */
const CONTACTS_OFF = 'alter table relata.workspaces alter column creates_contacts set default false'

async function switchContactsOff(url: string): Promise<void> {
  const sql = postgres(url, { max: 1 })
  await sql.unsafe(CONTACTS_OFF)
  await sql.end()
}

async function migrate(url: string): Promise<void> {
  const child = Bun.spawn([process.execPath, 'server/run/cli/main.ts', 'migrate'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...SECRET_KEY, DATABASE_URL: url },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if ((await child.exited) !== 0) throw new Error('The template of the databases could not be migrated.')
}

function hashOfMigrations(): string {
  const hash = createHash('sha256').update(CONTACTS_OFF)
  const files = readdirSync(MIGRATIONS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.sql'))
  for (const file of files.toSorted()) hash.update(file).update(readFileSync(join(MIGRATIONS, file)))
  return hash.digest('hex').slice(0, 12)
}

function urlOf(database: string): string {
  const url = new URL(adminUrl())
  url.pathname = `/${database}`
  return url.href
}

/** A connection that reads the stored data. Timestamps, JSON and arrays are the text of PostgreSQL. */
export const openReader = (url: string): Reader =>
  postgres(url, {
    max: 2,
    fetch_types: false,
    onnotice() {},
    connection: { TimeZone: 'UTC' } as never, // the driver's type has only a few settings
    types: { text: { to: 25, from: [1082, 1114, 1184], serialize: String, parse: String } },
  }) as unknown as Reader // the driver's types for `types` are narrower than what it accepts

async function asAdmin<T>(work: (sql: Reader) => PromiseLike<T>): Promise<T> {
  const sql = postgres(adminUrl(), { max: 1, onnotice() {} })
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}

function adminUrl(): string {
  const url = process.env.TEST_ADMIN_URL
  if (!url) throw new Error('Set TEST_ADMIN_URL to a PostgreSQL where databases may be created.')
  return url
}
