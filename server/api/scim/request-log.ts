/** The last requests of identity providers, which admins see at the console. It has no bodies and no tokens. */

import type { Database, Sql } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { pathOf, urlOf } from '#api/http/request/request-url'
import type { AnsweredRequest } from '#api/http/scim/scim-endpoint'
import { newId } from '#base/ids'
import { logError } from '#base/logging/log-error'
import { cleanLine } from '#base/text/csv-line'
import { timestampFromMicros, type Clock } from '#base/timing/clock'

/** Older requests of a workspace are deleted. */
const STORED_REQUESTS = 200
const MAX_PATH = 500
const MAX_TEXT = 300

export interface ScimRequestRow {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly detail: string | null
  readonly user_agent: string | null
  readonly duration_ms: number
  /** As PostgreSQL prints it. */
  readonly created_at: string
}

/** Returns a function that stores an answered request. A failure is logged and does not fail the request. */
export const createRequestLog =
  (db: Database, now: Clock) =>
  (answered: AnsweredRequest): Promise<void> =>
    storeRequest(db, now, answered).catch((error: unknown) => logError('A SCIM request was not stored.', error))

async function storeRequest(db: Database, now: Clock, answered: AnsweredRequest): Promise<void> {
  const { caller, request, status, error, milliseconds } = answered
  const { workspaceId } = caller
  const control = controlQueriesIn(db.sql)
  await control
    .insertInto('relata.scim_requests')
    .values({
      workspace_id: workspaceId,
      id: newId(),
      method: request.method.slice(0, 20),
      path: cleanLine(pathWithQuery(request), MAX_PATH) ?? '/',
      status,
      detail: cleanLine(error?.message, MAX_TEXT),
      user_agent: cleanLine(request.headers.get('user-agent') ?? undefined, MAX_TEXT),
      duration_ms: milliseconds,
      created_at: timestampFromMicros(now()),
    })
    .execute()
  // Other processes delete the same rows; `skip locked` keeps them from waiting for each other.
  await control
    .deleteFrom('relata.scim_requests')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('relata.scim_requests')
        .select('id')
        .where('workspace_id', '=', workspaceId)
        .orderBy('id', 'desc')
        .offset(STORED_REQUESTS)
        .forUpdate()
        .skipLocked(),
    )
    .execute()
}

function pathWithQuery(request: Request): string {
  const { search } = urlOf(request)
  return pathOf(request) + search
}

/** Returns the stored requests, newest first. */
export const listScimRequests = (sql: Sql, workspaceId: string): Promise<ScimRequestRow[]> =>
  controlQueriesIn(sql)
    .selectFrom('relata.scim_requests')
    .select(['id', 'method', 'path', 'status', 'detail', 'user_agent', 'duration_ms', 'created_at'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('id', 'desc')
    .limit(STORED_REQUESTS)
    .execute()
