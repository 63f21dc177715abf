/** A connection as a role with few rights. Every value arrives as PostgreSQL's text, and every parameter is text or null. */

import postgres from 'postgres'
import type { Sql } from './connect'
import { messageLimit, NO_PIPELINING } from '#db/driver/limits'

export interface RoleLogin {
  readonly name: string
  readonly password: string
}

const unchanged = (value: unknown) => value
/** The numbers of the types that the driver would convert: booleans, bytes, numbers, JSON, dates. */
const CONVERTED = [16, 17, 20, 21, 23, 26, 114, 700, 701, 1082, 1114, 1184, 3802]

const types = { text: { to: 25, from: CONVERTED, serialize: unchanged, parse: unchanged } }

/** The longest row, and the longest error. The driver has it in memory twice when it joins its packets. */
const MAX_ROW_BYTES = 8 * 1024 * 1024

/** A busy machine takes seconds to accept a connection. */
const CONNECT_TIMEOUT_S = 30
const IDLE_S = 60

/** PostgreSQL takes these parameters at the start of a connection, and they change who acts. */
const NEVER_FROM_URL = ['role', 'session_authorization']

/** Opens at most one connection, when a statement first needs it, and closes it when it was idle. */
export function openRoleConnection(
  url: string,
  { name, password }: RoleLogin,
  settings: Readonly<Record<string, string>>,
): Sql {
  const address = withoutParameters(url, [...Object.keys(settings), ...NEVER_FROM_URL, 'application_name'])
  const sql = postgres(address, {
    username: name,
    password,
    max: 1,
    ...NO_PIPELINING,
    ...messageLimit(MAX_ROW_BYTES),
    idle_timeout: IDLE_S,
    max_lifetime: 30 * 60,
    ...(/[?&]connect_timeout=/.test(url) ? {} : { connect_timeout: CONNECT_TIMEOUT_S }),
    backoff: () => 0.1,
    fetch_types: false,
    onnotice() {},
    connection: { ...settings, application_name: 'relata sql' } as never, // the driver's type lacks most settings
    types,
  })
  // Our `types` make it another type, with the same use.
  return sql as unknown as Sql
}

/** The parameters of the URL would replace the settings. PostgreSQL ignores the case of their names. */
function withoutParameters(url: string, names: readonly string[]): string {
  const parsed = new URL(url)
  const excluded = new Set(names.map((name) => name.toLowerCase()))
  const found = Array.from(parsed.searchParams.keys())
  for (const name of found) if (excluded.has(name.toLowerCase())) parsed.searchParams.delete(name)
  return parsed.href
}
