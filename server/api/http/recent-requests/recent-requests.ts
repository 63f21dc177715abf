/**
 * The recent requests of API keys and apps, without bodies and values. Each process collects its own in memory, and stores the
 * newest of each workspace together some seconds later. See docs/decisions/recent-requests.md.
 */

import { sql } from 'kysely'
import { newId } from '#base/ids'
import { logError } from '#base/logging/log-error'
import { type Clock, type Micros, timestampFromMicros } from '#base/timing/clock'
import { periodicWorker } from '#base/timing/run-periodically'
import { createDelayedCall } from '#base/timing/wait'
import { type Database, renderArray } from '#db/connect'

/** How many requests of a workspace the console shows, and for how long. Older ones are deleted. */
export const MAX_RECENT_REQUESTS = 500
const SHOWN_MICROS = 24 * 3600 * 1_000_000

const FLUSH_MS = 10_000

interface AnsweredRequest {
  readonly workspaceId: string
  /** The id of the app or API key. */
  readonly clientId: string
  readonly method: string
  /** The path of the operation, with the names of its parameters in place of their values. */
  readonly path: string
  readonly status: number
  /** Of an error. */
  readonly code: string | null
  /** The unknown members and parameters, as the header names them. */
  readonly ignored: string | null
  readonly durationMs: number
  readonly answeredAt: Micros
}

export interface RecentRequests {
  add(answered: AnsweredRequest): void
  /** Stores what was collected. Resolves when this and all earlier requests are stored. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** By workspace, the oldest first. */
type CollectedRequests = Map<string, AnsweredRequest[]>

export function createRecentRequests(db: Database, now: Clock): RecentRequests {
  let collected: CollectedRequests = new Map()
  let isWriting = false
  let writing = Promise.resolve()

  function flush(): Promise<void> {
    delayedFlush.cancel()
    const flushed = collected
    collected = new Map()
    const write = async () => {
      isWriting = true
      try {
        if (flushed.size > 0) await insertRequests(db, flushed, now())
      } finally {
        isWriting = false
      }
    }
    writing = writing.then(write, write)
    return writing
  }

  const delayedFlush = createDelayedCall(() => {
    // A database that does not answer gets no second write while the first one waits.
    if (isWriting) delayedFlush.request()
    else void flush().catch(logFailure)
  }, FLUSH_MS)

  return {
    add(answered) {
      const requests = collected.get(answered.workspaceId)
      if (requests === undefined) collected.set(answered.workspaceId, [answered])
      else if (requests.push(answered) >= 2 * MAX_RECENT_REQUESTS) requests.splice(0, MAX_RECENT_REQUESTS)
      delayedFlush.request()
    },
    flush,
    close: () => flush().catch(logFailure),
  }
}

const logFailure = (error: unknown) => logError('The recent requests could not be stored.', error)

/** A request in a row of the table: shorter than an object, because there are many. */
type StoredRequest = readonly [
  answeredAt: Micros,
  clientId: string,
  method: string,
  path: string,
  status: number,
  durationMs: number,
  code: string | null,
  ignored: string | null,
]

const storedRequest = (request: AnsweredRequest): StoredRequest => [
  request.answeredAt,
  request.clientId,
  request.method,
  request.path,
  request.status,
  request.durationMs,
  request.code,
  request.ignored,
]

/** One row for each workspace, because a row for each request would cost more than a tenth of a small read. */
async function insertRequests({ control }: Database, byWorkspace: CollectedRequests, now: Micros): Promise<void> {
  const rows = [...byWorkspace].map(([workspace_id, requests]) => {
    const newest = requests.slice(-MAX_RECENT_REQUESTS).map(storedRequest)
    const created_at = timestampFromMicros(now)
    return { workspace_id, created_at, id: newId(), count: newest.length, requests: JSON.stringify(newest) }
  })
  await control.insertInto('relata.recent_requests').values(rows).execute()
}

export interface RecentRequest {
  readonly id: string
  /** The name of the app or the API key. */
  readonly client_name: string | null
  readonly method: string
  readonly path: string
  readonly status: number
  readonly code: string | null
  readonly ignored: string | null
  readonly duration_ms: number
  readonly created_at: string
}

/** The newest first. Has the requests that all processes have stored. */
export async function listRecentRequests(db: Database, workspaceId: string, now: Micros): Promise<RecentRequest[]> {
  const since = now - SHOWN_MICROS
  const rows = await db.control
    .with('numbered', (query) =>
      query
        .selectFrom('relata.recent_requests')
        .select([
          'id',
          'requests',
          sql<string>`sum(count) over (order by created_at desc, id desc) - count`.as('newer'),
        ])
        .where('workspace_id', '=', workspaceId)
        .where('created_at', '>', timestampFromMicros(since)),
    )
    .selectFrom('numbered')
    .select(['id', 'requests'])
    .where('newer', '<', String(MAX_RECENT_REQUESTS))
    .execute()
  const all = rows.flatMap(({ id, requests }) =>
    (JSON.parse(requests) as StoredRequest[]).map((request, position) => ({ id: `${id}-${position}`, request })),
  )
  const newest = all
    .filter(({ request: [answeredAt] }) => answeredAt > since)
    .toSorted((one, other) => other.request[0] - one.request[0] || (one.id < other.id ? 1 : -1))
    .slice(0, MAX_RECENT_REQUESTS)
  const names = await namesOfClients(db, workspaceId, [...new Set(newest.map(({ request: [, client] }) => client))])
  return newest.map(({ id, request: [answeredAt, client, method, path, status, duration_ms, code, ignored] }) => ({
    id,
    client_name: names.get(client) ?? null,
    method,
    path,
    status,
    code,
    ignored,
    duration_ms,
    created_at: timestampFromMicros(answeredAt),
  }))
}

async function namesOfClients(
  { control }: Database,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const isOne = (column: string) => sql<boolean>`${sql.ref(column)} = any(${renderArray(ids)}::uuid[])`
  const [apps, keys] = await Promise.all([
    control.selectFrom('relata.apps').select(['id', 'name']).where(isOne('id')).execute(),
    control
      .selectFrom('relata.tokens')
      .select(['client_id as id', 'name'])
      .where('workspace_id', '=', workspaceId)
      .where('grant_id', 'is', null)
      .where(isOne('client_id'))
      .execute(),
  ])
  return new Map([...apps, ...keys].flatMap(({ id, name }) => (name === null ? [] : [[id, name]])))
}

/** Deletes what the console does not show any more, of all workspaces. */
export async function deleteOldRequests({ control }: Database, now: Micros): Promise<void> {
  const newer = sql<string>`sum(count) over (partition by workspace_id order by created_at desc, id desc) - count`
  await control
    .with('numbered', (query) =>
      query.selectFrom('relata.recent_requests').select(['workspace_id', 'created_at', 'id', newer.as('newer')]),
    )
    // Other processes delete the same rows; `skip locked` keeps them from waiting for each other.
    .with(
      (cte) => cte('old').materialized(),
      (query) =>
        query
          .selectFrom('relata.recent_requests as r')
          .innerJoin('numbered as n', (join) =>
            join
              .onRef('n.workspace_id', '=', 'r.workspace_id')
              .onRef('n.created_at', '=', 'r.created_at')
              .onRef('n.id', '=', 'r.id'),
          )
          .select(['r.workspace_id', 'r.created_at', 'r.id'])
          .where(({ eb, or }) =>
            or([
              eb('n.newer', '>=', String(MAX_RECENT_REQUESTS)),
              eb('r.created_at', '<=', timestampFromMicros(now - SHOWN_MICROS)),
            ]),
          )
          .forUpdate('r')
          .skipLocked(),
    )
    .deleteFrom('relata.recent_requests as r')
    .using('old')
    .whereRef('r.workspace_id', '=', 'old.workspace_id')
    .whereRef('r.created_at', '=', 'old.created_at')
    .whereRef('r.id', '=', 'old.id')
    .execute()
}

export const oldRequestDeletion = periodicWorker<{ readonly db: Database; readonly now: Clock }>({
  name: 'recent requests',
  does: 'deletes old requests of API keys and apps',
  everyMs: 600_000,
  work: ({ db, now }) => deleteOldRequests(db, now()),
})
