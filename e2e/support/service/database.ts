/** One database for each test file, and read access to it without the API. */

import { randomBytes } from 'node:crypto'
import postgres from 'postgres'

export interface FreshDatabase {
  readonly url: string
  drop(): Promise<void>
}

export type Reader = postgres.Sql

/** Creates an empty database on the server of TEST_ADMIN_URL. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const name = `relata_e2e_${randomBytes(8).toString('hex')}`
  await asAdmin((sql) => sql.unsafe(`create database ${name}`))
  const url = new URL(adminUrl())
  url.pathname = `/${name}`
  return { url: url.href, drop: () => asAdmin((sql) => sql.unsafe(`drop database if exists ${name} with (force)`)) }
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

async function asAdmin(work: (sql: Reader) => Promise<unknown>): Promise<void> {
  const sql = postgres(adminUrl(), { max: 1, onnotice() {} })
  try {
    await work(sql)
  } finally {
    await sql.end()
  }
}

function adminUrl(): string {
  const url = process.env.TEST_ADMIN_URL
  if (!url) throw new Error('Set TEST_ADMIN_URL to a PostgreSQL where databases may be created.')
  return url
}
