/**
 * The recent requests of API keys and apps, without bodies and values. Each process collects its own in memory, and stores the
 * newest of each workspace together a moment later. See docs/decisions/recent-requests.md.
 */

import { sql } from 'kysely'
import { newId } from '#base/ids'
import { logError } from '#base/logging/log-error'
import { type Clock, type Micros, timestampFromMicros, timestampFromPostgres } from '#base/timing/clock'
import { periodicWorker } from '#base/timing/run-periodically'
import { createDelayedCall } from '#base/timing/wait'
import type { Database } from '#db/connect'

/** How many requests of a workspace the console shows, and for how long. Older ones are deleted. */
export const MAX_RECENT_REQUESTS = 500
const SHOWN_MICROS = 24 * 3600 * 1_000_000

const FLUSH_MS = 2000

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

export function createRecentRequests(db: Database): RecentRequests {
  let collected = new Map<string, AnsweredRequest[]>()
  let isWriting = false
  let writing = Promise.resolve()

  function flush(): Promise<void> {
    delayedFlush.cancel()
    const newest = [...collected.values()].flatMap((requests) => requests.slice(-MAX_RECENT_REQUESTS))
    collected = new Map()
    const write = async () => {
      isWriting = true
      try {
        if (newest.length > 0) await insertRequests(db, newest)
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

async function insertRequests({ control }: Database, requests: readonly AnsweredRequest[]): Promise<void> {
  const rows = requests.map((request) => ({
    workspace_id: request.workspaceId,
    created_at: timestampFromMicros(request.answeredAt),
    id: newId(),
    client_id: request.clientId,
    method: request.method,
    path: request.path,
    status: request.status,
    code: request.code,
    ignored: request.ignored,
    duration_ms: request.durationMs,
  }))
  // One parameter, where `values` of Kysely would have ten for each row.
  await sql`
    insert into relata.recent_requests
    select * from json_populate_recordset(null::relata.recent_requests, ${JSON.stringify(rows)}::text::json)`.execute(
    control,
  )
}

export interface RecentRequestRow {
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

/** The newest first. Has the requests of all processes. */
export async function listRecentRequests(
  { control }: Database,
  workspaceId: string,
  now: Micros,
): Promise<RecentRequestRow[]> {
  const rows = await control
    .selectFrom('relata.recent_requests as r')
    .leftJoin('relata.apps as p', 'p.id', 'r.client_id')
    .leftJoin('relata.tokens as t', (join) =>
      join
        .onRef('t.workspace_id', '=', 'r.workspace_id')
        .onRef('t.client_id', '=', 'r.client_id')
        .on('t.grant_id', 'is', null),
    )
    .select(['r.id', 'r.method', 'r.path', 'r.status', 'r.code', 'r.ignored', 'r.duration_ms', 'r.created_at'])
    .select(sql<string | null>`coalesce(p.name, t.name)`.as('client_name'))
    .where('r.workspace_id', '=', workspaceId)
    .where('r.created_at', '>', timestampFromMicros(now - SHOWN_MICROS))
    .orderBy('r.created_at', 'desc')
    .orderBy('r.id', 'desc')
    .limit(MAX_RECENT_REQUESTS)
    .execute()
  return rows.map((row) => ({ ...row, created_at: timestampFromPostgres(row.created_at) }))
}

/** Deletes those of all workspaces that the console does not show any more. */
export async function deleteOldRequests({ control }: Database, now: Micros): Promise<void> {
  // Other processes delete the same rows; `skip locked` keeps them from waiting for each other.
  await sql`
    delete from relata.recent_requests r using (
      select old.workspace_id, old.created_at, old.id
      from relata.all_workspaces w
      cross join lateral (
        select greatest(${timestampFromMicros(now - SHOWN_MICROS)}::timestamptz, (
          select created_at from relata.recent_requests where workspace_id = w.id
          order by created_at desc, id desc offset ${MAX_RECENT_REQUESTS} limit 1)) as until
      ) kept
      cross join lateral (
        select workspace_id, created_at, id from relata.recent_requests
        where workspace_id = w.id and created_at <= kept.until for update skip locked
      ) old
    ) o
    where r.workspace_id = o.workspace_id and r.created_at = o.created_at and r.id = o.id`.execute(control)
}

export const oldRequestDeletion = periodicWorker<{ readonly db: Database; readonly now: Clock }>({
  name: 'recent requests',
  does: 'deletes old requests of API keys and apps',
  everyMs: 60_000,
  work: ({ db, now }) => deleteOldRequests(db, now()),
})
