/** The rows behind deliveries, of a webhook that the caller was found to see: those whose event the caller may see now. */

import type { RequestContext } from '../../../call'
import { visibleEventsOf } from '../../../access/list-access/visible-events'
import { visibleTo, visibleToOne } from '../../../webhooks/match/visible-rows'
import { notifyWatchers } from '../../../webhooks/watch-hub'
import type { EventType } from '../../../events/event-types'
import { newId } from '../../../ids'
import type { VisibleEvents } from '../../../events/visibility'
import { timestampFromMicros, timestampFromPostgres } from '../../../timing/clock'
import type { DeliveriesQuery, Delivery, WholeDelivery } from './schemas'

interface Row {
  readonly id: string
  readonly webhook_id: string
  readonly idempotency_key: string
  readonly kind: Delivery['kind']
  readonly event_id: string | null
  readonly event_type: EventType
  readonly record_id: string | null
  readonly status: Delivery['status']
  readonly due_at: string | null
  readonly created_at: string
  readonly finished_at: string | null
  readonly body: string
}

interface AttemptRow {
  readonly delivery_id: string
  readonly number: number
  readonly at: string
  readonly duration_ms: number
  readonly status_code: number | null
  readonly problem_code: string | null
  readonly problem: string | null
  readonly address: string | null
  readonly request_headers: string
  readonly response_headers: string
  readonly response_body: string
}

/** Newest first, those after `before` alone. */
export async function listDeliveryRows(
  context: RequestContext,
  webhookId: string,
  query: Omit<DeliveriesQuery, 'before'> & { readonly before: string | null },
): Promise<Delivery[]> {
  const { sql } = context.db
  const { status = null, event_type = null, record_id = null, search = null, limit = 50, before } = query
  const rows = await sql<Row[]>`
    select * from relata.deliveries
    where ${ofWebhook(context, webhookId)}
      and (${before}::uuid is null or id < ${before}::uuid)
      and (${status}::text is null or status = ${status})
      and (${event_type}::text is null or event_type = ${event_type})
      and (${record_id}::uuid is null or record_id = ${record_id})
      and (${search}::text is null or position(lower(${search}) in lower(body)) > 0)
    order by id desc limit ${limit}`
  return withAttempts(context, rows)
}

/** Those that were made since an instant, and after one of them; of more than `limit` the newest. The oldest first. */
export async function listMadeDeliveries(
  context: RequestContext,
  webhookId: string,
  { since, after, limit }: { readonly since: string; readonly after: string | null; readonly limit: number },
): Promise<Delivery[]> {
  const rows = await context.db.sql<Row[]>`
    select * from relata.deliveries
    where ${ofWebhook(context, webhookId)} and created_at >= ${since}
      and (${after}::uuid is null or id > ${after}::uuid)
    order by id desc limit ${limit}`
  return withAttempts(context, rows.toReversed())
}

/** Those of these ids that there are, the oldest first. */
export async function findDeliveries(
  context: RequestContext,
  webhookId: string,
  ids: readonly string[],
): Promise<Delivery[]> {
  const rows = await context.db.sql<Row[]>`
    select * from relata.deliveries
    where ${ofWebhook(context, webhookId)} and id = any(${[...ids]}::uuid[])
    order by id`
  return withAttempts(context, rows)
}

const ofWebhook = (context: RequestContext, webhookId: string) => context.db.sql`
  workspace_id = ${context.model.workspace.id} and webhook_id = ${webhookId} and ${visibleTo(context.db.sql, visibleEventsOf(context))}`

/** Whether its event may be told now to this webhook. */
export async function mayBeTold(context: RequestContext, webhook: OutboxRows, id: string): Promise<boolean> {
  const [row] = await context.db.sql`
    select 1 from relata.deliveries
    where ${ofWebhook(context, webhook.id)} and id = ${id} and (${visibleToOne(context.db.sql, webhook.visible)})`
  return row !== undefined
}

async function withAttempts(context: RequestContext, rows: readonly Row[]): Promise<Delivery[]> {
  if (rows.length === 0) return []
  const attempts = await context.db.sql<Pick<AttemptRow, keyof AttemptRow>[]>`
    select delivery_id, number, at, duration_ms, status_code, problem_code, problem
    from relata.delivery_attempts
    where delivery_id = any(${rows.map(({ id }) => id)}::uuid[]) order by number`
  const byDelivery = Map.groupBy(attempts, ({ delivery_id }) => delivery_id)
  return rows.map((row) => renderDelivery(row, byDelivery.get(row.id) ?? []))
}

export async function findWholeDelivery(
  context: RequestContext,
  webhook: { readonly id: string; readonly target_url: string },
  id: string,
): Promise<WholeDelivery | undefined> {
  const [row] = await context.db.sql<Row[]>`
    select * from relata.deliveries where ${ofWebhook(context, webhook.id)} and id = ${id}`
  if (row === undefined) return undefined
  const attempts = await context.db.sql<AttemptRow[]>`
    select * from relata.delivery_attempts where delivery_id = ${id} order by number`
  return {
    ...renderDelivery(row, attempts),
    target_url: webhook.target_url,
    body: row.body,
    attempts: attempts.map((attempt) => ({
      ...renderAttempt(attempt),
      address: attempt.address,
      request_headers: JSON.parse(attempt.request_headers),
      response_headers: JSON.parse(attempt.response_headers),
      response_body: attempt.response_body,
    })),
  }
}

const renderDelivery = (row: Row, attempts: readonly AttemptRow[]): Delivery => ({
  delivery_id: row.id,
  webhook_id: row.webhook_id,
  idempotency_key: row.idempotency_key,
  kind: row.kind,
  event_id: row.event_id,
  event_type: row.event_type,
  record_id: row.record_id,
  status: row.status,
  next_attempt_at: row.due_at === null ? null : timestampFromPostgres(row.due_at),
  created_at: timestampFromPostgres(row.created_at),
  finished_at: row.finished_at === null ? null : timestampFromPostgres(row.finished_at),
  attempts: attempts.map(renderAttempt),
})

const renderAttempt = ({ number, at, duration_ms, status_code, problem_code, problem }: AttemptRow) => ({
  number,
  at: timestampFromPostgres(at),
  duration_ms,
  status_code,
  error: problem_code === null ? null : { code: problem_code, message: problem ?? '' },
})

/** A webhook with what those it belongs to may see now. */
export interface OutboxRows {
  readonly id: string
  readonly visible: readonly VisibleEvents[]
}

/** What is to be sent again. */
export interface Again {
  /** This one alone. */
  readonly id: string | null
  readonly from: string | null
  readonly to: string | null
  readonly statuses: readonly Delivery['status'][]
}

/** What fits into a message to those who watch. */
const MOST_TOLD = 80

/** Makes deliveries due at once, with the body and the key they have: those that may be told still. Answers how many. */
export async function sendAgain(
  context: RequestContext,
  { id: webhookId, visible }: OutboxRows,
  again: Again,
): Promise<number> {
  const now = timestampFromMicros(context.now())
  const { id, from, to, statuses } = again
  const [sent] = await context.db.sql<[{ count: number; newest: string[] }]>`
    with again as (
      update relata.deliveries set status = 'waiting', due_at = ${now}, finished_at = null
      where ${ofWebhook(context, webhookId)} and (${visibleToOne(context.db.sql, visible)})
        and (${id}::uuid is null or id = ${id}::uuid)
        and (${from}::timestamptz is null or created_at >= ${from}::timestamptz)
        and (${to}::timestamptz is null or created_at < ${to}::timestamptz)
        and status = any(${[...statuses]}::text[])
      returning id, created_at
    ), due as (
      update relata.webhooks set due_at = least(due_at, ${now}::timestamptz), waiting_since = least(
        case when due_at is not null then waiting_since end, (select min(created_at) from again), ${now}::timestamptz)
      where workspace_id = ${context.model.workspace.id} and id = ${webhookId}
    )
    select count(*)::int as count, array(select id from again order by id desc limit ${MOST_TOLD}) as newest from again`
  context.events?.look()
  if (sent.count > 0) await notifyWatchers(context.db.sql, new Map([[webhookId, sent.newest]]))
  return sent.count
}

/** A message that no event stands behind. It does not wait its turn. */
export async function insertTest(
  context: RequestContext,
  webhookId: string,
  test: {
    readonly id: string
    readonly event_type: EventType
    readonly record_id: string | null
    readonly list_id: string | null
    readonly body: string
  },
): Promise<void> {
  const now = timestampFromMicros(context.now())
  await context.db.sql`
    with due as (
      update relata.webhooks set due_at = least(due_at, ${now}::timestamptz),
        waiting_since = least(case when due_at is not null then waiting_since end, ${now}::timestamptz)
      where workspace_id = ${context.model.workspace.id} and id = ${webhookId}
      returning workspace_id, id
    )
    insert into relata.deliveries
      (workspace_id, webhook_id, id, position, event_type, record_id, list_id, kind, idempotency_key, body, due_at, created_at)
    select workspace_id, id, ${test.id}, 0, ${test.event_type}, ${test.record_id}, ${test.list_id}, 'test', ${newId()},
      ${test.body}, ${now}, ${now}
    from due`
  context.events?.look()
  await notifyWatchers(context.db.sql, new Map([[webhookId, [test.id]]]))
}
