/**
 * The identity of a database: on which PostgreSQL server it is, and which address it serves. A copy carries the stored identity
 * with it, and has another one itself. See docs/decisions/database-copies.md.
 */

import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '#db/connect'

export interface Identity {
  /** The public address of the service. Null for a local one, which is the same on every machine. */
  readonly base_url: string | null
  /** The system identifier of the server, which `initdb` makes. Null when the server does not give it. */
  readonly server: string | null
  /** The OIDs of the database and of the table with the identity. A restored table has another OID, also in the same database. */
  readonly database: string
  /** The inode of a file of the embedded PostgreSQL that is never rewritten. A copied data folder has another one. */
  readonly data_file: string | null
}

export interface IdentitySource {
  readonly baseUrl: string
  /** The data directory of the embedded PostgreSQL. */
  readonly clusterDirectory: string | undefined
}

export async function readIdentity(sql: Sql, { baseUrl, clusterDirectory }: IdentitySource): Promise<Identity> {
  const [{ database }] = await sql<[{ database: string }]>`
    select concat_ws('/', (select oid from pg_database where datname = current_database()),
      'relata.installation'::regclass::oid) as database`
  return {
    base_url: publicAddress(baseUrl),
    server: await readSystemIdentifier(sql),
    database,
    data_file:
      clusterDirectory === undefined
        ? null
        : String(statSync(join(clusterDirectory, 'PG_VERSION'), { bigint: true }).ino),
  }
}

/** Whether both pools are connected to the same database, of servers that were made by one `initdb`. */
export async function isSameCluster(one: Sql, other: Sql): Promise<boolean> {
  const source = { baseUrl: 'http://localhost', clusterDirectory: undefined }
  const [first, second] = await Promise.all([readIdentity(one, source), readIdentity(other, source)])
  return first.database === second.database && !differ(first.server, second.server)
}

/** Every role may read it, unless the provider of a managed PostgreSQL does not support it. */
async function readSystemIdentifier(sql: Sql): Promise<string | null> {
  try {
    const [row] = await sql<[{ server: string }]>`select system_identifier::text as server from pg_control_system()`
    return row.server
  } catch (error) {
    if (error instanceof Error && 'severity' in error) return null // PostgreSQL refuses the statement
    throw error
  }
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/

export const publicAddress = (baseUrl: string): string | null =>
  LOOPBACK.test(new URL(baseUrl).hostname) ? null : baseUrl

/**
 * Whether a process may take the database for the one with the stored identity. `pg_upgrade` gives a server another system identifier
 * and keeps all OIDs. The first public address is a setting, and any later one may be that of a copy.
 */
export function isSameDatabase(stored: Identity, found: Identity): boolean {
  const isSameAddress = stored.base_url === found.base_url
  if (stored.base_url !== null && !isSameAddress) return false
  if (stored.database !== found.database || differ(stored.data_file, found.data_file)) return false
  const isUpgraded = isSameAddress && stored.base_url !== null
  return isUpgraded || !differ(stored.server, found.server)
}

/** A part that one of the two lacks says nothing. */
const differ = (one: string | null, other: string | null): boolean => one !== null && other !== null && one !== other
