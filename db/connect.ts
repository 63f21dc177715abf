/** Connections to PostgreSQL: one pool for everything, values as text where JavaScript would lose precision. */

import { Kysely } from 'kysely'
import { PostgresJSDialect } from 'kysely-postgres-js'
import postgres from 'postgres'
import type { DB } from './schema'

export type Sql = postgres.Sql
export type Transaction = postgres.TransactionSql

export interface Database {
  /** For statements over workspace tables, and for hot paths. */
  readonly sql: Sql
  /** For look-ups, by way of `onLookups`. */
  readonly lookups: Sql
  /** For queries whose cost their callers decide: connections of their own, each statement with a time limit. */
  readonly queries: Sql
  /** That limit. */
  readonly queryTimeoutMs: number
  /** For control tables. */
  readonly control: Kysely<DB>
  /** Whether all of it happens in one transaction on one connection; see `inOneTransaction`. */
  readonly isOneTransaction?: true
  close(): Promise<void>
}

/** PostgreSQL's numbers of array types, whose elements all come as text. */
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

const asIs = (value: unknown) => value

/** The driver's own names for the types it would otherwise turn into JavaScript's. */
const types = {
  // As text: JavaScript's dates would lose the microseconds.
  date: { to: 1184, from: [1082, 1114, 1184], serialize: asIs, parse: asIs },
  // Text is taken as JSON text; anything else is made into it.
  json: {
    to: 114,
    from: [114, 3802],
    serialize: (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)),
    parse: asIs,
  },
  arrays: {
    to: ARRAY_OIDS.text,
    from: Object.values(ARRAY_OIDS),
    serialize: (value: unknown) => (Array.isArray(value) ? arrayLiteral(value) : value),
    parse: (text: string) => parseArray(text),
  },
}

/**
 * Our own statements are few, and run over and over. They are planned once for each connection, for tables of any size:
 * PostgreSQL alone would plan some of them anew each time, and go on reading a table from end to end that was empty when
 * the plan was made. Decision 0037.
 */
const OF_OWN_STATEMENTS = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' }

export interface Connecting {
  /** How many connections there may be; callers' queries may take half as many more, look-ups three. */
  readonly max?: number
  readonly applicationName?: string
  /** How long one statement of a caller's query may run. */
  readonly queryTimeoutMs?: number
}

/** With more, fewer look-ups would share a message to PostgreSQL. */
const MOST_FOR_LOOKUPS = 3

/**
 * Pools on `url`. Timestamps, dates and json come back as PostgreSQL's text, in UTC; arrays as arrays of text or null.
 */
export function connect(url: string, options: Connecting = {}): Database {
  const { max = 10, applicationName = 'relata', queryTimeoutMs = 10_000 } = options
  const settings = { TimeZone: 'UTC', application_name: applicationName, jit: 'off' }
  const sql = openPool(url, { max }, { ...settings, ...OF_OWN_STATEMENTS })
  const lookups = openPool(url, { max: Math.min(max, MOST_FOR_LOOKUPS) }, { ...settings, ...OF_OWN_STATEMENTS })
  // None is sent before its turn: it would wait for one query though another ends first, and one of those that wait
  // cannot be cancelled without their answers being mixed up.
  const ownTurn = { max: Math.ceil(max / 2), max_pipeline: 0 }
  const queries = openPool(url, ownTurn, {
    ...settings,
    statement_timeout: queryTimeoutMs,
    plan_cache_mode: 'force_custom_plan',
  })
  // The driver's own types for `types` are narrower than what it accepts.
  const control = new Kysely<DB>({ dialect: new PostgresJSDialect({ postgres: sql as never }) })
  const close = async () => {
    await Promise.all([sql.end({ timeout: 5 }), lookups.end({ timeout: 5 }), queries.end({ timeout: 5 })])
  }
  return { sql, lookups, queries, queryTimeoutMs, control, close }
}

/** Unless the address says it, as for other clients of PostgreSQL: `?connect_timeout=60`. A busy machine takes seconds. */
const PATIENCE_TO_CONNECT_S = 30

/**
 * Seconds before a connection is tried again. The driver counts failures of all connections of a pool together, and its
 * own pauses grow to 20 seconds: after a restart of PostgreSQL the service would be away for much longer than that took.
 */
const pauseBeforeRetry = (failures: number): number => Math.min(0.02 * failures, 0.5) * (0.5 + Math.random() / 2)

/** Connections are opened when they are first needed. */
function openPool(
  url: string,
  size: { readonly max: number; readonly max_pipeline?: number },
  settings: Readonly<Record<string, string | number>>,
): Sql {
  const sql = postgres(url, {
    ...size,
    // A backend keeps what it learnt of every table it touched, so none lives for ever.
    max_lifetime: 30 * 60,
    ...(/[?&]connect_timeout=/.test(url) ? {} : { connect_timeout: PATIENCE_TO_CONNECT_S }),
    backoff: pauseBeforeRetry,
    fetch_types: false,
    onnotice() {},
    connection: settings as never, // the driver's type knows only a few settings
    types,
  })
  return sql as unknown as Sql // our `types` make it another type, with the same use
}

/** A one-dimensional array as PostgreSQL reads it. */
export const arrayLiteral = (items: readonly unknown[]): string => `{${items.map(arrayItem).join(',')}}`

function arrayItem(item: unknown): string {
  if (item === null) return 'NULL'
  const text = String(item)
  return SPECIAL.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`
}
const SPECIAL = /["\\]/

/** A one-dimensional array as PostgreSQL prints it, `{a,"b c",NULL}`. */
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
