/**
 * Connection pools. Timestamps, dates and JSON arrive as PostgreSQL's text, because JavaScript's types would lose
 * precision.
 */

import postgres from 'postgres'
import { Kysely } from 'kysely'
import { PostgresJSDialect } from 'kysely-postgres-js'
import { NO_PIPELINING, preparedLimit, schemaLimit } from '#db/driver/limits'
import type { DB } from './schema'

export type Sql = postgres.Sql
export type Transaction = postgres.TransactionSql

export interface Pools {
  readonly sql: Sql
  readonly lookups: Sql
  /** The application name of all connections. */
  readonly applicationName: string
}

/** The table of a secret, and the values of its primary key. */
export interface SecretRow {
  readonly table:
    | 'workspaces'
    | 'webhooks'
    | 'totp_secrets'
    | 'sign_in_providers'
    | 'connected_accounts'
    | 'idempotent_answers'
    | 'secret_keys'
  readonly key: readonly string[]
}

/** Encrypts and decrypts the secrets of one database. See docs/decisions/secrets.md. */
export interface SecretCipher {
  /** Reads the current key in the transaction, so that a rotation does not end before the secret is stored. */
  encrypt(sql: Sql | Transaction, row: SecretRow, plain: string): Promise<string>
  /** Throws for a text that no key of this process encrypted for this row. */
  decrypt(row: SecretRow, stored: string): string
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
  /** Encrypts and decrypts the secrets that tables store. */
  readonly secrets: SecretCipher
  /** Whether Citus distributes the database. */
  readonly isDistributed: boolean
  /** True when all members except `pools` use one transaction on one connection; see `inOneTransaction`. */
  readonly isInTransaction?: true
  /** The replica on which reads of a request may run. Undefined where all run on the primary. */
  readonly replica?: ReplicaAccess | undefined
  /** The pools themselves, also where all members use one transaction. */
  readonly pools: Pools
  close(): Promise<void>
}

/** What one request may read on a replica by streaming replication. See docs/decisions/replica.md. */
export interface ReplicaAccess {
  /** Whether the replica has all that the caller must see. The answer is for statements that begin now. */
  isAllowed(): Promise<boolean>
  /** Runs a statement on the pools of the replica. Throws `ReplicaFailure` when it is to run on the primary instead. */
  run<T>(send: (pools: ReadPools) => Promise<T>): Promise<T>
}

/** The pools on which reads run. */
export type ReadPools = Pick<Database, 'sql' | 'lookups' | 'queries'>

/** A statement failed on the replica, and says nothing about the primary. */
export class ReplicaFailure extends Error {}

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
 * on scanning that table. See docs/decisions/plans-and-pools.md.
 */
const ONE_PLAN = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' }

/** Citus has no plan without the parameters for a statement that it runs in several steps. */
const PLANS_OF_CITUS = { ...ONE_PLAN, plan_cache_mode: 'auto' }

export interface ConnectOptions {
  /** The size of the pool `sql`. `queries` has half as many connections, `lookups` at most three. */
  readonly max?: number
  readonly applicationName?: string
  readonly queryTimeoutMs?: number
  /** Without it, secrets can be neither stored nor read. */
  readonly secrets?: SecretCipher
  /** Whether Citus distributes the database. */
  readonly isDistributed?: boolean
  /** Called when a connection was closed, for any reason. */
  readonly onClose?: () => void
  /** After statements of so many workspaces, a connection ends, and with it the state of its session. */
  readonly maxWorkspaces?: number
}

/** With more connections, fewer look-ups would share a network packet. See docs/decisions/plans-and-pools.md. */
const MAX_LOOKUP_CONNECTIONS = 3

/** Makes pools for `url`. Timestamps arrive in UTC, arrays as arrays of text or null. */
export function connect(url: string, options: ConnectOptions = {}): Database {
  const { max = 10, applicationName = 'relata', queryTimeoutMs = 10_000, secrets = WITHOUT_KEYS } = options
  const { isDistributed = false, maxWorkspaces = MAX_WORKSPACES } = options
  const settings = { TimeZone: 'UTC', application_name: applicationName, jit: 'off' }
  const plans = isDistributed ? PLANS_OF_CITUS : ONE_PLAN
  const limits = {
    ...schemaLimit(maxWorkspaces, workspaceSchemaOf),
    ...(options.onClose !== undefined && { onclose: options.onClose }),
  }
  const sql = openPool(url, { max, ...limits }, { ...settings, ...plans })
  const lookupSize = { max: Math.min(max, MAX_LOOKUP_CONNECTIONS), ...limits }
  const lookups = openPool(url, lookupSize, { ...settings, ...plans })
  // A pipelined query would also wait for the query before it while another connection is free.
  const size = { max: Math.ceil(max / 2), ...NO_PIPELINING, ...limits }
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
  const pools = { sql, lookups, applicationName }
  return { sql, lookups, queries, queryTimeoutMs, control, secrets, isDistributed, pools, close }
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
  size: { readonly max: number; readonly onclose?: () => void },
  settings: Readonly<Record<string, string | number>>,
): Sql {
  const sql = postgres(url, {
    ...size,
    ...preparedLimit(MAX_PREPARED),
    ...observerOption(),
    // What a backend keeps grows with its age as well.
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

/**
 * A backend keeps 40 to 170 kB for each workspace whose tables it has used: columns, indexes, plans. To open a connection takes about 10 ms, so it
 * hardly counts beside the first statements of as many workspaces. See docs/decisions/plans-and-pools.md.
 */
const MAX_WORKSPACES = 500

/** The first schema of a workspace that a statement names. Those of the publisher name many, but only their outboxes. */
const workspaceSchemaOf = (text: string): string | undefined => /\bw_\d+/.exec(text)?.[0]

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

// Names of processes. All connections of a process carry its name, so that other processes see whether it is connected.

/** The application name of all connections of a process. */
export const connectionName = (process: string): string => `relata ${process}`

/** Returns those of the processes that have no connection: they were killed, or are about to connect again. */
export async function findDisconnected(sql: Sql, processes: readonly string[]): Promise<ReadonlySet<string>> {
  if (processes.length === 0) return new Set()
  const rows = await sql<{ application_name: string }[]>`
    select distinct application_name from pg_stat_activity where application_name like ${`${connectionName('')}%`}`
  const connected = new Set(rows.map(({ application_name }) => application_name))
  return new Set(processes.filter((process) => !connected.has(connectionName(process))))
}

// Encodes many rows as one text parameter: lines of cells, separated by control characters that neither people's texts nor JSON contain.
// This is the cheapest form for the service to write and for PostgreSQL to split. See docs/decisions/import.md.

/** ASCII's record separator, unit separator, and group separator for null. */
export const [ROW_SEPARATOR, CELL_SEPARATOR, NULL_CELL] = ['\x1e', '\x1f', '\x1d'] as const

/** The SQL of a table `r` whose column `c` is the array of cells of a line. */
export const rowsFromText = (parameter: string): string =>
  `(select string_to_array(line, E'\\x1f', E'\\x1d') as c from string_to_table(${parameter}::text, E'\\x1e') as line offset 0) as r`

/** The SQL of the cells of `r`, cast to these types. */
export const cellsAsTypes = (types: readonly string[]): string =>
  types.map((type, index) => `r.c[${index + 1}]::${type}`).join(', ')

/** The SQL of the cells of `r`, each cast to its type and named as its column. `types` has them by column, in the order of the cells. */
export const cellsAsColumns = (types: Readonly<Record<string, string>>): string =>
  Object.entries(types)
    .map(([column, type], index) => `r.c[${index + 1}]::${type} as ${column}`)
    .join(', ')

/** The text of rows, with a cell for each of the columns, in their order. No value may have a separating character. */
export const rowsAsText = <Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, string | number | null>>[],
): string =>
  rows.map((row) => columns.map((column) => row[column] ?? NULL_CELL).join(CELL_SEPARATOR)).join(ROW_SEPARATOR)

/** A fault of the environment that stops the start. The message tells the operator what to correct. */
export class StartError extends Error {}

/** What a process without a key gets when it stores or reads a secret. */
export const secretKeyMissing = (): StartError =>
  new StartError(
    'Set RELATA_SECRET_KEY, with which the service encrypts secrets in a PostgreSQL of your own; `openssl rand -base64 32` prints one. See docs/running.md (The secret key).',
  )

const WITHOUT_KEYS: SecretCipher = {
  encrypt: () => Promise.reject(secretKeyMissing()),
  decrypt() {
    throw secretKeyMissing()
  },
}

/** Turns an error of connecting to the database into a StartProblem. Returns other errors unchanged. */
export function explainConnectionError(error: unknown, databaseUrl: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  const { hostname, port, pathname, username } = new URL(databaseUrl)
  const server = `${hostname}:${port || 5432}`
  switch (error.code) {
    case 'ECONNREFUSED':
    case 'CONNECT_TIMEOUT':
    case 'CONNECTION_CLOSED':
    case 'ECONNRESET':
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
      return new StartError(`PostgreSQL cannot be reached at ${server}; see that it runs and DATABASE_URL is right.`)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartError(`The host ${hostname} of DATABASE_URL is not known; see that its name is right.`)
    case '28P01':
    case '28000':
      return new StartError(`PostgreSQL at ${server} refuses the user or password of DATABASE_URL: ${error.message}.`)
    case '3D000':
      return new StartError(`PostgreSQL at ${server} has no database "${pathname.slice(1)}"; make it with createdb.`)
    case '42501':
      return new StartError(`The role "${username}" of DATABASE_URL lacks a right: ${error.message}.`)
    case '08P01':
      return new StartError(
        `A connection pooler at ${server} does not support Relata: ${error.message}. Let DATABASE_URL name PostgreSQL itself.`,
      )
    case '53300':
    case '57P03':
      return new StartError(`PostgreSQL at ${server} takes no connections now: ${error.message}.`)
    default:
      return error
  }
}

// Decides which statements are prepared. Preparing saves parsing and planning. A connection keeps a limited number of prepared
// statements, the most recently used.

/** The limit for a connection. A statement takes 20 to 35 kB of memory in PostgreSQL. */
const MAX_PREPARED = 500

/** A longer text has a large parse tree, and is hardly ever sent twice. */
const MAX_LENGTH = 30_000

/** Returns the options of `sql.unsafe` for a text. */
export const prepareOptions = (text: string): { prepare: boolean } => ({ prepare: text.length <= MAX_LENGTH })

// Sends look-ups over the pool `lookups`. A look-up is a statement that returns a few rows by their keys and never waits
// for a lock of other rows. The pool has few connections, over which the driver pipelines statements.
// See docs/decisions/plans-and-pools.md.

/** More look-ups wait only while a statement ahead of them is blocked, for example by a change of its table. */
const MAX_WAITING = 12

const waitingOn = new WeakMap<Sql, number>()

/** Calls `send` with the pool to use: `lookups`, or `sql` while too many look-ups wait. */
export async function runOnLookupPool<T>(
  { lookups, sql }: Pick<Database, 'lookups' | 'sql'>,
  send: (on: Sql) => Promise<T>,
) {
  const waiting = waitingOn.get(lookups) ?? 0
  if (waiting >= MAX_WAITING) return send(sql)
  waitingOn.set(lookups, waiting + 1)
  try {
    return await send(lookups)
  } finally {
    waitingOn.set(lookups, (waitingOn.get(lookups) ?? 1) - 1)
  }
}

/**
 * Calls `send` with the pools on which a read runs that may be behind the primary: a query, a list, a page of the feed. They are those of the
 * replica if the request may use it, else those of the primary. `send` runs again on the primary after a failure of the replica.
 */
export async function runRead<T>(db: Database, send: (pools: ReadPools) => Promise<T>): Promise<T> {
  const { replica } = db
  if (replica === undefined || !(await replica.isAllowed())) return send(db)
  try {
    return await replica.run(send)
  } catch (error) {
    if (!(error instanceof ReplicaFailure)) throw error
    return send(db)
  }
}

/** Lets a test run observe every statement that a connection sends. */

type StatementObserver = (text: string) => void

let observer: StatementObserver | undefined

/** Calls `observe` before each statement of connections that are opened later. A statement fails with what `observe` throws. */
export function observeStatements(observe: StatementObserver): void {
  observer = observe
}

/** The option of the driver that hands each statement to the observer. Without an observer, no option. */
function observerOption(): { debug?: (connection: number, text: string) => void } {
  const observe = observer
  return observe ? { debug: (_, text) => observe(text) } : {}
}
