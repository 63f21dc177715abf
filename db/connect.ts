/**
 * Connection pools. Timestamps, dates and JSON arrive as PostgreSQL's text, because JavaScript's types would lose
 * precision.
 */

import { Kysely } from 'kysely'
import { PostgresJSDialect } from 'kysely-postgres-js'
import postgres from 'postgres'
import { NO_PIPELINING } from './driver/no-pipelining'
import { preparedLimit } from './driver/prepared-limit'
import { observerOption } from './driver/observe-statements'
import { MAX_PREPARED } from './prepared-statements'
import type { DB } from './schema'

export type Sql = postgres.Sql
export type Transaction = postgres.TransactionSql

export interface Pools {
  readonly sql: Sql
  readonly lookups: Sql
  /** The application name of all connections. */
  readonly applicationName: string
}

export interface Database {
  /** The pool for writes, for statements over workspace tables and for frequent statements. */
  readonly sql: Sql
  /** The pool for look-ups. Callers use it through `onLookups`. */
  readonly lookups: Sql
  /** The pool for queries whose cost the API caller decides. Each of its statements has a time limit. */
  readonly queries: Sql
  /** The time limit of a statement of `queries`. */
  readonly queryTimeoutMs: number
  /** The query builder for control tables. It uses the connections of `sql`. */
  readonly control: Kysely<DB>
  /** True when all members except `pools` use one transaction on one connection; see `inOneTransaction`. */
  readonly isInTransaction?: true
  /** The pools themselves, also where all members use one transaction. */
  readonly pools: Pools
  close(): Promise<void>
}

/** The object identifiers of PostgreSQL's array types. Their elements arrive as text. */
const ARRAY_OIDS = {
  bool: 1000,
  int2: 1005,
  int4: 1007,
  text: 1009,
  float8: 1022,
  date: 1182,
  timestamptz: 1185,
  numeric: 1231,
  uuid: 2951,
}

const unchanged = (value: unknown) => value

/** `date` and `json` replace the driver's own types of these names. */
const types = {
  // JavaScript's dates have no microseconds.
  date: { to: 1184, from: [1082, 1114, 1184], serialize: unchanged, parse: unchanged },
  // A string is sent as it is, because it is JSON already.
  json: {
    to: 114,
    from: [114, 3802],
    serialize: (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)),
    parse: unchanged,
  },
  arrays: {
    to: ARRAY_OIDS.text,
    from: Object.values(ARRAY_OIDS),
    serialize: (value: unknown) => (Array.isArray(value) ? renderArray(value) : value),
    parse: (text: string) => parseArray(text),
  },
}

/**
 * The service's own statements are few and run often, so each connection plans each of them once, for tables of any size.
 * With PostgreSQL's defaults, some would be planned at every execution, and a plan made while a table was empty would go
 * on scanning that table. Decision 0037.
 */
export const GENERIC_PLANS = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' }

export interface ConnectOptions {
  /** The size of the pool `sql`. `queries` has half as many connections, `lookups` at most three. */
  readonly max?: number
  readonly applicationName?: string
  readonly queryTimeoutMs?: number
}

/** With more connections, fewer look-ups would share a network packet. Decision 0039. */
const MAX_LOOKUP_CONNECTIONS = 3

/** Makes pools for `url`. Timestamps arrive in UTC, arrays as arrays of text or null. */
export function connect(url: string, options: ConnectOptions = {}): Database {
  const { max = 10, applicationName = 'relata', queryTimeoutMs = 10_000 } = options
  const settings = { TimeZone: 'UTC', application_name: applicationName, jit: 'off' }
  const sql = openPool(url, { max }, { ...settings, ...GENERIC_PLANS })
  const lookups = openPool(url, { max: Math.min(max, MAX_LOOKUP_CONNECTIONS) }, { ...settings, ...GENERIC_PLANS })
  // A pipelined query would also wait for the query before it while another connection is free.
  const size = { max: Math.ceil(max / 2), ...NO_PIPELINING }
  const queries = openPool(url, size, {
    ...settings,
    statement_timeout: queryTimeoutMs,
    plan_cache_mode: 'force_custom_plan',
  })
  // The driver's own types for `types` are narrower than what it accepts.
  const control = new Kysely<DB>({ dialect: new PostgresJSDialect({ postgres: sql as never }) })
  const close = async () => {
    await Promise.all([sql.end({ timeout: 5 }), lookups.end({ timeout: 5 }), queries.end({ timeout: 5 })])
  }
  return { sql, lookups, queries, queryTimeoutMs, control, pools: { sql, lookups, applicationName }, close }
}

/** A busy machine takes seconds to accept a connection. The address may set another value: `?connect_timeout=60`. */
const CONNECT_TIMEOUT_S = 30

/**
 * The delay in seconds before the next attempt to connect. The driver counts the failures of all connections of a pool
 * together, and its default delay grows to 20 seconds, which would prolong an outage after a restart of PostgreSQL.
 */
const connectBackoff = (failures: number): number => Math.min(0.02 * failures, 0.5) * (0.5 + Math.random() / 2)

/** The pool opens a connection when a statement first needs it. */
function openPool(
  url: string,
  size: { readonly max: number },
  settings: Readonly<Record<string, string | number>>,
): Sql {
  const sql = postgres(url, {
    ...size,
    ...preparedLimit(MAX_PREPARED),
    ...observerOption(),
    // A backend caches the catalogue entries of every table it has used, so its memory grows with its age.
    max_lifetime: 30 * 60,
    ...(/[?&]connect_timeout=/.test(url) ? {} : { connect_timeout: CONNECT_TIMEOUT_S }),
    backoff: connectBackoff,
    fetch_types: false,
    onnotice() {},
    connection: settings as never, // the driver's type lacks most settings
    types,
  })
  return sql as unknown as Sql // our `types` make it another type, with the same use
}

/** Renders a one-dimensional array as an array literal of PostgreSQL. */
export const renderArray = (items: readonly unknown[]): string => `{${items.map(arrayItem).join(',')}}`

function arrayItem(item: unknown): string {
  if (item === null) return 'NULL'
  const text = String(item)
  return SPECIAL.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`
}
const SPECIAL = /["\\]/

/** Parses a one-dimensional array literal of PostgreSQL, such as `{a,"b c",NULL}`. */
export function parseArray(text: string): (string | null)[] {
  if (text === '{}') return []
  const inner = text.slice(1, -1)
  if (!inner.includes('"')) return inner.split(',').map((item) => (item === 'NULL' ? null : item))
  const items: (string | null)[] = []
  const pattern = /"((?:[^"\\]|\\.)*)"|([^,]+)/gs
  for (const [, quoted, bare] of inner.matchAll(pattern)) {
    items.push(quoted !== undefined ? quoted.replace(/\\(.)/gs, '$1') : bare === 'NULL' ? null : (bare ?? null))
  }
  return items
}
