/** The rows of deliveries. The caller sees a delivery when they see its webhook and may see its event now. */

import type { Selectable } from 'kysely'
import type { DeliveriesTable, DeliveryAttemptsTable } from '#db/schema'
import type { ApiContext } from '#context'
import { maySeeText, visibleEventsOf } from '#access/list-access/list-access'
import { visibleTo, visibleToAny } from '#events/webhooks/match/subscription'
import { deliveryNotFound } from '#base/errors/webhooks'
import { notifyStreams } from '#events/webhooks/stream-hub'
import type { EventType } from '#vocabulary/event-types'
import { newId } from '#base/ids'
import type { VisibleEvents } from '#events/feed/visibility'
import { timestampFromMicros, timestampFromPostgres } from '#base/timing/clock'
import type { DeliveriesQuery, Delivery, WholeDelivery } from './schemas'

/** The table's constraints allow no other texts in the three columns. */
type DeliveryRow = Selectable<DeliveriesTable> & Pick<Delivery, 'kind' | 'event_type' | 'status'>

type AttemptRow = Selectable<DeliveryAttemptsTable>

/** The columns of an attempt that a list of deliveries shows. */
type AttemptSummary = Pick<
  AttemptRow,
  'delivery_id' | 'number' | 'at' | 'duration_ms' | 'status_code' | 'problem_code' | 'problem'
>

/** A delivery that the caller saw when it was read. */
export interface VisibleDelivery {
  readonly delivery: Delivery
  /** Whether the caller still sees it. */
  readonly isVisible: (context: ApiContext) => boolean
}

/** The newest deliveries first. With `before`, only deliveries that are older than it. */
export async function listDeliveryRows(
  context: ApiContext,
  webhookId: string,
  query: Omit<DeliveriesQuery, 'before'> & { readonly before: string | null },
): Promise<VisibleDelivery[]> {
  const { sql } = context.db
  const { status = null, event_type = null, record_id = null, search = null, limit = 50, before } = query
  const rows = await sql<DeliveryRow[]>`
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

/** The deliveries created since `since` and after the delivery `after`: the newest `limit` of them, the oldest first. */
export async function listNewDeliveries(
  context: ApiContext,
  webhookId: string,
  { since, after, limit }: { readonly since: string; readonly after: string | null; readonly limit: number },
): Promise<VisibleDelivery[]> {
  const rows = await context.db.sql<DeliveryRow[]>`
    select * from relata.deliveries
    where ${ofWebhook(context, webhookId)} and created_at >= ${since}
      and (${after}::uuid is null or id > ${after}::uuid)
    order by id desc limit ${limit}`
  return withAttempts(context, rows.toReversed())
}

/** The deliveries with these ids, the oldest first. */
export async function findDeliveries(
  context: ApiContext,
  webhookId: string,
  ids: readonly string[],
): Promise<VisibleDelivery[]> {
  const rows = await context.db.sql<DeliveryRow[]>`
    select * from relata.deliveries
    where ${ofWebhook(context, webhookId)} and id = any(${[...ids]}::uuid[])
    order by id`
  return withAttempts(context, rows)
}

/** A test delivery that the caller just made. Its event may name anything, because the caller wrote it. */
export async function getMadeTest(context: ApiContext, webhookId: string, id: string): Promise<Delivery> {
  const rows = await context.db.sql<DeliveryRow[]>`
    select * from relata.deliveries
    where workspace_id = ${context.model.workspace.id} and webhook_id = ${webhookId} and id = ${id}`
  const [made] = await withAttempts(context, rows)
  if (made === undefined) throw deliveryNotFound(id)
  return made.delivery
}

/** The deliveries of a webhook that the caller may see, as a condition. */
export const ofWebhook = (context: ApiContext, webhookId: string) => context.db.sql`
  workspace_id = ${context.model.workspace.id} and webhook_id = ${webhookId} and ${visibleTo(context.db.sql, visibleEventsOf(context))}`

/** Whether the webhook may get the event of this delivery now. */
export async function mayGetEvent(context: ApiContext, webhook: WebhookWithAccess, id: string): Promise<boolean> {
  const [row] = await context.db.sql`
    select 1 from relata.deliveries
    where ${ofWebhook(context, webhook.id)} and id = ${id} and (${visibleToAny(context.db.sql, webhook.visible)})`
  return row !== undefined
}

async function withAttempts(context: ApiContext, rows: readonly DeliveryRow[]): Promise<VisibleDelivery[]> {
  if (rows.length === 0) return []
  const attempts = await context.db.sql<AttemptSummary[]>`
    select delivery_id, number, at, duration_ms, status_code, problem_code, problem
    from relata.delivery_attempts
    where delivery_id = any(${rows.map(({ id }) => id)}::uuid[]) order by number`
  const byDelivery = Map.groupBy(attempts, ({ delivery_id }) => delivery_id)
  return rows.map((row) => ({
    delivery: renderDelivery(row, byDelivery.get(row.id) ?? []),
    isVisible: (now) => maySeeText(now, { event_type: row.event_type, listId: row.list_id }, row.body),
  }))
}

export async function findDeliveryDetails(
  context: ApiContext,
  webhook: { readonly id: string; readonly target_url: string },
  id: string,
): Promise<WholeDelivery | undefined> {
  const [row] = await context.db.sql<DeliveryRow[]>`
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

const renderDelivery = (row: DeliveryRow, attempts: readonly AttemptSummary[]): Delivery => ({
  delivery_id: row.id,
  webhook_id: row.webhook_id,
  idempotency_key: row.idempotency_key,
  kind: row.kind,
  event_id: row.event_id,
  event_type: row.event_type,
  object_id: row.record_id === null ? null : objectIdIn(row.body),
  record_id: row.record_id,
  status: row.status,
  next_attempt_at: row.due_at === null ? null : timestampFromPostgres(row.due_at),
  created_at: timestampFromPostgres(row.created_at),
  finished_at: row.finished_at === null ? null : timestampFromPostgres(row.finished_at),
  attempts: attempts.map(renderAttempt),
})

/** The object of the event. Its ids come first in the body; an edited test event may name none. */
const objectIdIn = (body: string): string | null => OBJECT_ID.exec(body.slice(0, 1000))?.[1] ?? null

const OBJECT_ID = /"object_id":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/

const renderAttempt = ({ number, at, duration_ms, status_code, problem_code, problem }: AttemptSummary) => ({
  number,
  at: timestampFromPostgres(at),
  duration_ms,
  status_code,
  error: problem_code === null ? null : { code: problem_code, message: problem ?? '' },
})

/** A webhook, and the events that its viewers may see now. */
export interface WebhookWithAccess {
  readonly id: string
  readonly visible: readonly VisibleEvents[]
}

/** The deliveries that are sent again. Null members do not restrict them. */
export interface RedeliverySelection {
  readonly id: string | null
  readonly from: string | null
  readonly to: string | null
  readonly statuses: readonly Delivery['status'][]
}

/** The number of ids that fit into a notification. */
const MAX_PER_NOTIFICATION = 80

/** Makes deliveries due now, with their stored body and key, when the webhook may get their events. Returns their number. */
export async function redeliverRows(
  context: ApiContext,
  { id: webhookId, visible }: WebhookWithAccess,
  selection: RedeliverySelection,
): Promise<number> {
  const now = timestampFromMicros(context.now())
  const { id, from, to, statuses } = selection
  const [sent] = await context.db.sql<[{ count: number; newest: string[] }]>`
    with redelivered as (
      update relata.deliveries set status = 'waiting', due_at = ${now}, finished_at = null
      where ${ofWebhook(context, webhookId)} and (${visibleToAny(context.db.sql, visible)})
        and (${id}::uuid is null or id = ${id}::uuid)
        and (${from}::timestamptz is null or created_at >= ${from}::timestamptz)
        and (${to}::timestamptz is null or created_at < ${to}::timestamptz)
        and status = any(${[...statuses]}::text[])
      returning id, created_at
    ), due as (
      update relata.webhooks set due_at = least(due_at, ${now}::timestamptz), waiting_since = least(
        case when due_at is not null then waiting_since end, (select min(created_at) from redelivered), ${now}::timestamptz)
      where workspace_id = ${context.model.workspace.id} and id = ${webhookId}
    )
    select count(*)::int as count, array(select id from redelivered order by id desc limit ${MAX_PER_NOTIFICATION}) as newest from redelivered`
  context.events?.wakeDeliveries()
  if (sent.count > 0) await notifyStreams(context.db.sql, new Map([[webhookId, sent.newest]]))
  return sent.count
}

/** Inserts the delivery of a test event. Position 0 puts it before all pending deliveries. */
export async function insertTestDelivery(
  context: ApiContext,
  webhookId: string,
  test: {
    readonly id: string
    readonly event_type: EventType
    readonly record_id: string | null
    readonly list_id: string | null
    readonly body: string
    /** Those that it was made for: `WebhookAccess.rights`. */
    readonly rights: string
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
      (workspace_id, webhook_id, id, position, event_type, record_id, list_id, kind, idempotency_key, body, rights, due_at, created_at)
    select workspace_id, id, ${test.id}, 0, ${test.event_type}, ${test.record_id}, ${test.list_id}, 'test', ${newId()},
      ${test.body}, ${test.rights}, ${now}, ${now}
    from due`
  context.events?.wakeDeliveries()
  await notifyStreams(context.db.sql, new Map([[webhookId, [test.id]]]))
}
