/**
 * Makes a database for each test file, copied from a migrated template. The name of the template contains a hash of the
 * migrations, so a changed migration makes a new template. TEST_ADMIN_URL names a role that may create databases. With
 * TEST_CITUS_URL, each database is one of a cluster of Citus. See docs/testing.md.
 */

import { sha256 } from '#base/text/sha256'
import { randomBytes } from 'node:crypto'
import { connect, type Database } from '#db/connect'
import { encryptPlainSecrets } from '#db/encrypted-columns'
import { migrate } from '#db/migrate'
import { readMigrations } from '#db/read-migrations'
import { createSecretCipher, openSecretKeys, parseSecretKeys } from '#db/secret-keys'
import { joinDatabases } from './two-databases'

/** So long that a query reaches its time limit only in tests of that limit, also on a busy machine. */
const PATIENCE_MS = 150_000

/** The setting of processes and commands on a test database. */
export const SECRET_KEY_SETTING = { RELATA_SECRET_KEY: Buffer.alloc(32, 'test').toString('base64') }

export const TEST_SECRET_KEYS = openSecretKeys({
  configured: parseSecretKeys(SECRET_KEY_SETTING.RELATA_SECRET_KEY),
  dataDir: undefined,
})

export interface TestDatabase {
  readonly db: Database
  readonly url: string
  /** The URL of the database with the tables of workspaces: another one if the environment sets RELATA_TEST_DATABASES=2. */
  readonly tablesUrl: string
  /** Closes the pool and removes the database. */
  drop(): Promise<void>
}

/** Creates a copy of the template, which has all control tables and no rows. */
export async function testDatabase(): Promise<TestDatabase> {
  const template = await ensureTemplate()
  if (process.env.RELATA_TEST_DATABASES !== '2') return copyOf(template)
  const [control, tables] = await Promise.all([copyOf(template), copyOf(template)])
  return {
    db: joinDatabases(control.db, tables.db),
    url: control.url,
    tablesUrl: tables.url,
    drop: async () => void (await Promise.all([control.drop(), tables.drop()])),
  }
}

/** Creates a database without control tables. Citus does not distribute it. */
export async function emptyTestDatabase(): Promise<TestDatabase> {
  return copyOf('template1', false)
}

async function copyOf(template: string, isDistributed = CITUS_URL !== undefined): Promise<TestDatabase> {
  const name = `relata_test_${randomBytes(8).toString('hex')}`
  await onAllServers((admin) => admin.sql.unsafe(`create database ${name} template ${template}`))
  const url = urlOf(name)
  const db = connect(url, {
    isDistributed,
    max: 4,
    applicationName: 'relata test',
    queryTimeoutMs: PATIENCE_MS,
    secrets: createSecretCipher(TEST_SECRET_KEYS),
  })
  return {
    db,
    url,
    tablesUrl: url,
    async drop() {
      await db.close()
      await onAllServers((admin) => dropDatabase(admin, name))
    },
  }
}

/** Drops the database, and then the roles of its workspaces, which belong to the whole server. */
async function dropDatabase({ sql }: Database, name: string): Promise<void> {
  const roles = await sql<{ role: string }[]>`
    select r.rolname as role from pg_database d join pg_roles r on starts_with(r.rolname, 'relata_sql_' || d.oid || '_')
    where d.datname = ${name}`
  await sql.unsafe(`drop database if exists ${name} with (force)`)
  for (const { role } of roles) await sql.unsafe(`drop role "${role}"`)
}

/** Creates the template once, under a lock. It has another name until it is complete, so that no incomplete template is copied. */
async function ensureTemplate(): Promise<string> {
  const migrations = readMigrations()
  const hash = sha256(JSON.stringify(migrations)).slice(0, 12)
  const name = `relata_template_${hash}`
  await withAdmin(async (admin) => {
    if (await exists(admin, name)) return
    await admin.sql`select pg_advisory_lock(hashtextextended(${name}, 0))`
    if (await exists(admin, name)) return
    await onAllServers(async ({ sql }) => {
      await sql.unsafe(`drop database if exists ${name}_unfinished with (force)`)
      await sql.unsafe(`create database ${name}_unfinished`)
    })
    if (CITUS_URL !== undefined) await joinNodes(`${name}_unfinished`)
    const unfinished = connect(urlOf(`${name}_unfinished`), { max: 1, isDistributed: CITUS_URL !== undefined })
    try {
      await migrate(unfinished, { migrations })
      await encryptPlainSecrets(unfinished, TEST_SECRET_KEYS)
    } finally {
      await unfinished.close()
    }
    await onAllServers(async ({ sql }) => {
      // A process of Citus is connected to each database.
      await sql.unsafe(`alter database ${name}_unfinished allow_connections false`)
      await sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = ${`${name}_unfinished`}`
      await sql.unsafe(`alter database ${name}_unfinished rename to ${name}`)
    })
  })
  return name
}

/** Makes the databases of this name one cluster. */
async function joinNodes(database: string): Promise<void> {
  const [coordinator, ...workers] = (await findServers()).map((server) => databaseUrl(server, database))
  if (coordinator === undefined) throw new Error('The cluster has no coordinator.')
  for (const url of [coordinator, ...workers]) await onServer(url, ({ sql }) => sql`create extension citus`)
  await onServer(coordinator, async ({ sql }) => {
    const { hostname, port } = new URL(coordinator)
    await sql`select citus_set_coordinator_host(${hostname}, ${port}::int)`
    for (const url of workers) {
      const worker = new URL(url)
      await sql`select citus_add_node(${worker.hostname}, ${worker.port}::int)`
    }
  })
}

/** The coordinator first, then the nodes; without Citus the only server. */
async function findServers(): Promise<readonly string[]> {
  if (CITUS_URL === undefined) return [adminUrl()]
  const servers: string[] = []
  await withAdmin(async ({ sql }) => {
    const nodes = await sql<{ host: string; port: number }[]>`
      select nodename as host, nodeport as port from pg_dist_node order by groupid`
    for (const { host, port } of nodes) {
      const url = new URL(adminUrl())
      url.hostname = host
      url.port = String(port)
      servers.push(url.href)
    }
  })
  return servers
}

/** The addresses of a test database on the nodes of the cluster; none without Citus. */
export async function nodeUrls(url: string): Promise<readonly string[]> {
  const [, ...workers] = await findServers()
  return workers.map((server) => databaseUrl(server, new URL(url).pathname.slice(1)))
}

/** One after the other, so that two processes cannot wait for each other. */
async function onAllServers(work: (admin: Database) => Promise<unknown>): Promise<void> {
  for (const url of await findServers()) await onServer(url, work)
}

async function exists(admin: Database, name: string): Promise<boolean> {
  const rows = await admin.sql`select 1 from pg_database where datname = ${name}`
  return rows.length > 0
}

const withAdmin = (work: (admin: Database) => Promise<unknown>): Promise<void> => onServer(adminUrl(), work)

/** Uses one connection, so that an advisory lock lasts until the work ends. */
async function onServer(url: string, work: (admin: Database) => Promise<unknown>): Promise<void> {
  const admin = connect(url, { max: 1, applicationName: 'relata test' })
  try {
    await work(admin)
  } finally {
    await admin.close()
  }
}

/** The coordinator of a cluster of Citus, on which the tests run. */
const CITUS_URL = process.env.TEST_CITUS_URL

function adminUrl(): string {
  const url = CITUS_URL ?? process.env.TEST_ADMIN_URL
  if (!url) throw new Error('Set TEST_ADMIN_URL to a PostgreSQL where databases may be created, or use `bun run test`.')
  return url
}

const urlOf = (database: string): string => databaseUrl(adminUrl(), database)

function databaseUrl(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}
