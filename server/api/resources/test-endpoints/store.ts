/**
 * The rows of test endpoints and of their requests. Expired endpoints are left out. A request that carries a change event
 * is visible to callers who may see the event.
 */

import { webhookRow } from '#events/webhooks/delivery'
import { anyOf, controlQueriesIn, jsonb, ofLiveWorkspace, equal } from '#engine/data-model/kysely-in-transaction'
import { type Selectable, sql } from 'kysely'
import type { Database } from '#db/connect'
import type { TestEndpointsTable, TestRequestsTable } from '#db/schema'
import type { ApiContext } from '#context'
import { maySeeText, visibleEventsOf } from '#access/list-access/list-access'
import { isEventType } from '#vocabulary/event-types'
import { visibleTo } from '#events/feed/visibility'
import { notifyStreams } from '#events/webhooks/stream-hub'
import { type Micros, timestampFromMicros, timestampFromPostgres } from '#base/timing/clock'
import type { TestEndpoint, TestRequest } from './schemas'

export interface EndpointRow extends Omit<TestEndpoint, 'test_endpoint_id' | 'url'> {
  readonly id: string
  readonly workspace_id: string
  readonly token: string
}

export async function listEndpointRows({ db, model, now }: ApiContext): Promise<EndpointRow[]> {
  const rows = await db.control
    .selectFrom('relata.test_endpoints')
    .selectAll()
    .where('workspace_id', '=', model.workspace.id)
    .where('expires_at', '>', timestampFromMicros(now()))
    .orderBy('id')
    .execute()
  return rows.map(parseEndpoint)
}

export async function findEndpointRow({ db, model, now }: ApiContext, id: string): Promise<EndpointRow | undefined> {
  const row = await db.control
    .selectFrom('relata.test_endpoints')
    .selectAll()
    .where(equal({ workspace_id: model.workspace.id, id }))
    .where('expires_at', '>', timestampFromMicros(now()))
    .executeTakeFirst()
  return row && parseEndpoint(row)
}

/** Inserts an endpoint, or updates the members of it that can change. Deletes expired endpoints. */
export async function saveEndpointRow({ db, now }: ApiContext, row: EndpointRow): Promise<void> {
  const { workspace_id, id, name, token, status, headers, body, delay_ms, fail_first, created_at, expires_at } = row
  const changing = { name, status, headers: jsonb(headers), body, delay_ms, fail_first, expires_at }
  await db.control
    .with('expired', (query) =>
      query.deleteFrom('relata.test_endpoints').where('expires_at', '<=', timestampFromMicros(now())),
    )
    .insertInto('relata.test_endpoints')
    .values({ workspace_id, id, token, created_at, ...changing })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'id']).doUpdateSet(changing))
    .execute()
}

/** Returns false when the endpoint does not exist. */
export async function deleteEndpointRow({ db, model }: ApiContext, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.control
    .deleteFrom('relata.test_endpoints')
    .where(equal({ workspace_id: model.workspace.id, id }))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** A request that the caller saw when it was read. */
export interface VisibleRequest {
  readonly request: TestRequest
  /** Whether the caller still sees it. */
  readonly isVisible: (context: ApiContext) => boolean
}

/** The newest requests first. With `before`, only requests that are older than it. */
export async function listRequestRows(
  context: ApiContext,
  endpointId: string,
  { limit, before }: { readonly limit: number; readonly before: string | null },
): Promise<VisibleRequest[]> {
  const rows = await ofEndpoint(context, endpointId)
    .$if(before !== null, (query) => query.where('id', '<', before))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(visibleRequest)
}

/** The requests with these ids, the oldest first. */
export async function findTestRequests(
  context: ApiContext,
  endpointId: string,
  ids: readonly string[],
): Promise<VisibleRequest[]> {
  const rows = await ofEndpoint(context, endpointId).where('id', '=', anyOf(ids)).orderBy('id').execute()
  return rows.map(visibleRequest)
}

const ofEndpoint = (context: ApiContext, endpointId: string) =>
  controlQueriesIn(context.db.sql)
    .selectFrom('relata.test_requests')
    .selectAll()
    .select(sql<string | null>`encode(bytes, 'base64')`.as('body_base64'))
    .where(equal({ workspace_id: context.model.workspace.id, endpoint_id: endpointId }))
    .where(({ eb, or }) => or([eb('event_type', 'is', null), visibleTo(visibleEventsOf(context))]))

/** Counts a request at the endpoint with this token. Returns undefined when no endpoint has it. */
export async function countTestRequest(db: Database, token: string, now: Micros): Promise<EndpointRow | undefined> {
  const row = await db.control
    .updateTable('relata.test_endpoints')
    .set((column) => ({ received: column('received', '+', 1) }))
    .where('token', '=', token)
    .where('expires_at', '>', timestampFromMicros(now))
    .where(ofLiveWorkspace('workspace_id'))
    .returningAll()
    .executeTakeFirst()
  return row && parseEndpoint(row)
}

/** Whether the workspace has this list. */
export async function hasList(db: Database, workspaceId: string, listId: string): Promise<boolean> {
  const row = await db.control
    .selectFrom('relata.lists')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    // `listId` is text of a request, and may not be a UUID.
    .where(sql<boolean>`id::text = ${listId}`)
    .executeTakeFirst()
  return row !== undefined
}

/** The secrets that are valid for the signatures of this webhook. */
export async function findSecrets(
  db: Database,
  workspaceId: string,
  webhookId: string,
  now: Micros,
): Promise<string[]> {
  const row = await db.control
    .selectFrom('relata.webhooks')
    .select('secret')
    .select((query) =>
      query
        .case()
        .when('previous_secret_until', '>', timestampFromMicros(now))
        .then(query.ref('previous_secret'))
        .end()
        .as('previous_secret'),
    )
    .where(equal({ workspace_id: workspaceId, id: webhookId }))
    .executeTakeFirst()
  const stored = [row?.secret, row?.previous_secret].filter((secret) => typeof secret === 'string')
  return stored.map((secret) => db.secrets.decrypt(webhookRow(workspaceId, webhookId), secret))
}

/** The number of stored requests of an endpoint. */
const MAX_STORED = 1000

/** The type of the event in a request, and the list that the event names. Both are null without an event. */
export interface RequestSubject {
  readonly event_type: string | null
  readonly list_id: string | null
}

export async function insertRequest(
  db: Database,
  endpoint: EndpointRow,
  request: TestRequest,
  { event_type, list_id }: RequestSubject,
): Promise<void> {
  const { test_request_id, body_base64, headers, ...members } = request
  await controlQueriesIn(db.sql)
    .insertInto('relata.test_requests')
    .values({
      ...members,
      workspace_id: endpoint.workspace_id,
      endpoint_id: endpoint.id,
      id: test_request_id,
      headers: sql<string>`${JSON.stringify(headers)}::text::json`,
      bytes: sql<Buffer | null>`decode(${body_base64}::text, 'base64')`,
      event_type,
      list_id,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await notifyStreams(db.sql, new Map([[endpoint.id, [test_request_id]]]))
  if (endpoint.received % MAX_STORED === 0) await deleteOldRequests(db, endpoint)
}

async function deleteOldRequests({ control }: Database, endpoint: EndpointRow): Promise<void> {
  await control
    .deleteFrom('relata.test_requests')
    .where(equal({ workspace_id: endpoint.workspace_id, endpoint_id: endpoint.id }))
    .where('id', '<', ({ selectFrom }) =>
      selectFrom('relata.test_requests')
        .select('id')
        .where(equal({ workspace_id: endpoint.workspace_id, endpoint_id: endpoint.id }))
        .orderBy('id', 'desc')
        .offset(MAX_STORED)
        .limit(1),
    )
    .execute()
}

type RequestRow = Selectable<TestRequestsTable> & { readonly body_base64: string | null }

const visibleRequest = (row: RequestRow): VisibleRequest => ({
  request: renderRequest(row),
  isVisible(context) {
    const { event_type, list_id: listId, body } = row
    return event_type === null || (isEventType(event_type) && maySeeText(context, { event_type, listId }, body))
  },
})

const renderRequest = (row: RequestRow): TestRequest => ({
  test_request_id: row.id,
  at: timestampFromPostgres(row.at),
  method: row.method,
  path: row.path,
  headers: JSON.parse(row.headers),
  body: row.body,
  // PostgreSQL's `encode` breaks the text into lines.
  body_base64: row.body_base64?.replaceAll('\n', '') ?? null,
  webhook_id: row.webhook_id,
  signature: row.signature as TestRequest['signature'], // `insertRequest` writes no other text
  answered_status: row.answered_status,
})

const parseEndpoint = (row: Selectable<TestEndpointsTable>): EndpointRow => ({
  ...row,
  headers: JSON.parse(row.headers),
  created_at: timestampFromPostgres(row.created_at),
  expires_at: timestampFromPostgres(row.expires_at),
})
