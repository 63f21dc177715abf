/**
 * The rows behind test endpoints. Those that have expired are not there any more. Requests that are a webhook's message
 * are shown to whoever may see the event in it.
 */

import type { Database } from '../../../db/connect'
import type { RequestContext } from '../../call'
import { visibleEventsOf } from '../../access/list-access/visible-events'
import { visibleTo } from '../../webhooks/match/visible-rows'
import { notifyWatchers } from '../../webhooks/watch-hub'
import { timestampFromMicros, timestampFromPostgres, type Micros } from '../../timing/clock'
import type { TestEndpoint, TestRequest } from './schemas'

export interface EndpointRow extends Omit<TestEndpoint, 'test_endpoint_id' | 'url'> {
  readonly id: string
  readonly workspace_id: string
  readonly token: string
}

type JsonRow = Omit<EndpointRow, 'headers'> & { readonly headers: string }

export async function listEndpointRows({ db, model, now }: RequestContext): Promise<EndpointRow[]> {
  const rows = await db.sql<JsonRow[]>`
    select * from relata.test_endpoints
    where workspace_id = ${model.workspace.id} and expires_at > ${timestampFromMicros(now())} order by id`
  return rows.map(fromJson)
}

export async function findEndpointRow(
  { db, model, now }: RequestContext,
  id: string,
): Promise<EndpointRow | undefined> {
  const [row] = await db.sql<JsonRow[]>`
    select * from relata.test_endpoints
    where workspace_id = ${model.workspace.id} and id = ${id} and expires_at > ${timestampFromMicros(now())}`
  return row && fromJson(row)
}

/** Writes a new one, or the changed members of one that is there; makes room by taking expired ones away. */
export async function saveEndpointRow({ db, now }: RequestContext, row: EndpointRow): Promise<void> {
  const { workspace_id, id, name, token, status, headers, body, delay_ms, fail_first, created_at, expires_at } = row
  await db.sql`
    with gone as (delete from relata.test_endpoints where expires_at <= ${timestampFromMicros(now())})
    insert into relata.test_endpoints
      (workspace_id, id, name, token, status, headers, body, delay_ms, fail_first, created_at, expires_at)
    values
      (${workspace_id}, ${id}, ${name}, ${token}, ${status}, ${JSON.stringify(headers)}::text::jsonb, ${body},
       ${delay_ms}, ${fail_first}, ${created_at}, ${expires_at})
    on conflict (workspace_id, id) do update set name = excluded.name, status = excluded.status,
      headers = excluded.headers, body = excluded.body, delay_ms = excluded.delay_ms,
      fail_first = excluded.fail_first, expires_at = excluded.expires_at`
}

/** False when there is none. */
export async function deleteEndpointRow({ db, model }: RequestContext, id: string): Promise<boolean> {
  const rows = await db.sql`
    delete from relata.test_endpoints where workspace_id = ${model.workspace.id} and id = ${id} returning 1`
  return rows.length > 0
}

/** Newest first, those after `before` alone. */
export async function listRequestRows(
  context: RequestContext,
  endpointId: string,
  { limit, before }: { readonly limit: number; readonly before: string | null },
): Promise<TestRequest[]> {
  const rows = await context.db.sql<RequestRow[]>`
    select *, encode(bytes, 'base64') as body_base64 from relata.test_requests
    where ${ofEndpoint(context, endpointId)}
      and (${before}::uuid is null or id < ${before}::uuid)
    order by id desc limit ${limit}`
  return rows.map(renderRequest)
}

/** Those of these ids that there are, the oldest first. */
export async function findRequests(
  context: RequestContext,
  endpointId: string,
  ids: readonly string[],
): Promise<TestRequest[]> {
  const rows = await context.db.sql<RequestRow[]>`
    select *, encode(bytes, 'base64') as body_base64 from relata.test_requests
    where ${ofEndpoint(context, endpointId)} and id = any(${[...ids]}::uuid[])
    order by id`
  return rows.map(renderRequest)
}

const ofEndpoint = (context: RequestContext, endpointId: string) => context.db.sql`
  workspace_id = ${context.model.workspace.id} and endpoint_id = ${endpointId}
    and (event_type is null or ${visibleTo(context.db.sql, visibleEventsOf(context))})`

/** Counts a request at the endpoint that has this token; undefined when none has. */
export async function countRequest(db: Database, token: string, now: Micros): Promise<EndpointRow | undefined> {
  const [row] = await db.sql<JsonRow[]>`
    update relata.test_endpoints set received = received + 1
    where token = ${token} and expires_at > ${timestampFromMicros(now)} returning *`
  return row && fromJson(row)
}

/** Whether the workspace has this list. */
export async function hasList(db: Database, workspaceId: string, listId: string): Promise<boolean> {
  const rows = await db.sql`select 1 from relata.lists where workspace_id = ${workspaceId} and id::text = ${listId}`
  return rows.length > 0
}

/** The secrets that a message of this webhook may be signed with. */
export async function findSecrets(
  db: Database,
  workspaceId: string,
  webhookId: string,
  now: Micros,
): Promise<string[]> {
  const rows = await db.sql<{ secret: string; previous_secret: string | null }[]>`
    select secret, case when previous_secret_until > ${timestampFromMicros(now)} then previous_secret end as previous_secret
    from relata.webhooks where workspace_id = ${workspaceId} and id = ${webhookId}`
  return rows.flatMap(({ secret, previous_secret }) => [secret, ...(previous_secret === null ? [] : [previous_secret])])
}

/** How many requests an endpoint remembers. */
const MOST_KEPT = 1000

/** The event in a message of a webhook; nulls where it is none. */
export interface RequestSubject {
  readonly event_type: string | null
  readonly list_id: string | null
}

export async function keepRequest(
  db: Database,
  endpoint: EndpointRow,
  request: TestRequest,
  { event_type, list_id }: RequestSubject,
): Promise<void> {
  const { test_request_id, at, method, path, headers, body, body_base64, webhook_id, signature, answered_status } =
    request
  await db.sql`
    insert into relata.test_requests
      (workspace_id, endpoint_id, id, at, method, path, headers, body, bytes, webhook_id, signature, answered_status,
       event_type, list_id)
    values
      (${endpoint.workspace_id}, ${endpoint.id}, ${test_request_id}, ${at}, ${method}, ${path},
       ${JSON.stringify(headers)}::text::json, ${body}, decode(${body_base64}::text, 'base64'), ${webhook_id}, ${signature}, ${answered_status},
       ${event_type}, ${list_id})
    on conflict do nothing`
  await notifyWatchers(db.sql, new Map([[endpoint.id, [test_request_id]]]))
  if (endpoint.received % MOST_KEPT !== 0) return
  await db.sql`
    delete from relata.test_requests
    where workspace_id = ${endpoint.workspace_id} and endpoint_id = ${endpoint.id} and id < (
      select id from relata.test_requests
      where workspace_id = ${endpoint.workspace_id} and endpoint_id = ${endpoint.id}
      order by id desc offset ${MOST_KEPT} limit 1)`
}

interface RequestRow {
  readonly id: string
  readonly at: string
  readonly method: string
  readonly path: string
  readonly headers: string
  readonly body: string
  readonly body_base64: string | null
  readonly webhook_id: string | null
  readonly signature: TestRequest['signature']
  readonly answered_status: number
}

const renderRequest = (row: RequestRow): TestRequest => ({
  test_request_id: row.id,
  at: timestampFromPostgres(row.at),
  method: row.method,
  path: row.path,
  headers: JSON.parse(row.headers),
  body: row.body,
  // PostgreSQL breaks it into lines.
  body_base64: row.body_base64?.replaceAll('\n', '') ?? null,
  webhook_id: row.webhook_id,
  signature: row.signature,
  answered_status: row.answered_status,
})

const fromJson = (row: JsonRow): EndpointRow => ({
  ...row,
  headers: JSON.parse(row.headers),
  created_at: timestampFromPostgres(row.created_at),
  expires_at: timestampFromPostgres(row.expires_at),
})
