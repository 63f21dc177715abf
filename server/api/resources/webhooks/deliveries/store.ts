/** The rows of deliveries. The caller sees a delivery when they see its webhook and may see its event now. */

import { anyOf, controlQueriesIn, hasRow, equal } from '#engine/data-model/kysely-in-transaction'
import { type RawBuilder, type Selectable, sql as expression } from 'kysely'
import type { DeliveriesTable, DeliveryAttemptsTable } from '#db/schema'
import type { ApiContext } from '#context'
import { maySeeText, visibleEventsOf } from '#access/list-access/list-access'
import { deliveryNotFound } from '#base/errors/webhooks'
import { notifyStreams } from '#events/webhooks/stream-hub'
import type { EventType } from '#vocabulary/event-types'
import { newId } from '#base/ids'
import { type VisibleEvents, visibleTo, visibleToAny } from '#events/feed/visibility'
import { timestampFromMicros, timestampFromPostgres, timestampOrNull } from '#base/timing/clock'
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
  const { status, event_type, record_id, search, limit = 50, before } = query
  const rows = await visibleDeliveries(context, webhookId)
    .$if(before !== null, (found) => found.where('id', '<', before))
    .$if(status !== undefined, (found) => found.where('status', '=', status ?? null))
    .$if(event_type !== undefined, (found) => found.where('event_type', '=', event_type ?? null))
    .$if(record_id !== undefined, (found) => found.where('record_id', '=', record_id ?? null))
    .$if(search !== undefined, (found) =>
      found.where(expression<boolean>`position(lower(${search}::text) in lower(body)) > 0`),
    )
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return withAttempts(context, rows)
}

/** The deliveries created since `since` and after the delivery `after`: the newest `limit` of them, the oldest first. */
export async function listNewDeliveries(
  context: ApiContext,
  webhookId: string,
  { since, after, limit }: { readonly since: string; readonly after: string | null; readonly limit: number },
): Promise<VisibleDelivery[]> {
  const rows = await visibleDeliveries(context, webhookId)
    .where('created_at', '>=', since)
    .$if(after !== null, (found) => found.where('id', '>', after))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return withAttempts(context, rows.toReversed())
}

/** The deliveries with these ids, the oldest first. */
export async function findDeliveries(
  context: ApiContext,
  webhookId: string,
  ids: readonly string[],
): Promise<VisibleDelivery[]> {
  const rows = await visibleDeliveries(context, webhookId).where('id', '=', anyOf(ids)).orderBy('id').execute()
  return withAttempts(context, rows)
}

/** A test delivery that the caller just made. Its event may name anything, because the caller wrote it. */
export async function getMadeTest(context: ApiContext, webhookId: string, id: string): Promise<Delivery> {
  const rows = await deliveriesOf(context, webhookId).where('id', '=', id).execute()
  const [made] = await withAttempts(context, rows)
  if (made === undefined) throw deliveryNotFound(id)
  return made.delivery
}

/** The deliveries of a webhook that the caller may see, as a condition. */
export const visibleDeliveries = (context: ApiContext, webhookId: string) =>
  deliveriesOf(context, webhookId).where(visibleTo(visibleEventsOf(context)))

const deliveriesOf = ({ db, model }: ApiContext, webhookId: string) =>
  controlQueriesIn(db.sql)
    .selectFrom('relata.deliveries')
    .selectAll()
    .where(equal({ workspace_id: model.workspace.id, webhook_id: webhookId }))
    .$castTo<DeliveryRow>()

/** Whether the webhook may get the event of this delivery now. */
export function mayGetEvent(context: ApiContext, webhook: WebhookWithAccess, id: string): Promise<boolean> {
  return hasRow(visibleDeliveries(context, webhook.id).where('id', '=', id).where(visibleToAny(webhook.visible)))
}

async function withAttempts(context: ApiContext, rows: readonly DeliveryRow[]): Promise<VisibleDelivery[]> {
  if (rows.length === 0) return []
  const attempts: AttemptSummary[] = await controlQueriesIn(context.db.sql)
    .selectFrom('relata.delivery_attempts')
    .select(['delivery_id', 'number', 'at', 'duration_ms', 'status_code', 'problem_code', 'problem'])
    .where('delivery_id', '=', anyOf(rows.map(({ id }) => id)))
    .orderBy('number')
    .execute()
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
  const row = await visibleDeliveries(context, webhook.id).where('id', '=', id).executeTakeFirst()
  if (row === undefined) return undefined
  const attempts = await controlQueriesIn(context.db.sql)
    .selectFrom('relata.delivery_attempts')
    .selectAll()
    .where('delivery_id', '=', id)
    .orderBy('number')
    .execute()
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
  next_attempt_at: timestampOrNull(row.due_at),
  created_at: timestampFromPostgres(row.created_at),
  finished_at: timestampOrNull(row.finished_at),
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
  const workspaceId = context.model.workspace.id
  const { id, from, to, statuses } = selection
  const { count, newest } = await controlQueriesIn(context.db.sql)
    .with('redelivered', (query) =>
      query
        .updateTable('relata.deliveries')
        .set({ status: 'waiting', due_at: now, finished_at: null })
        .where(equal({ workspace_id: workspaceId, webhook_id: webhookId }))
        .where(visibleTo(visibleEventsOf(context)))
        .where(visibleToAny(visible))
        .$if(id !== null, (each) => each.where('id', '=', id))
        .$if(from !== null, (each) => each.where('created_at', '>=', from))
        .$if(to !== null, (each) => each.where('created_at', '<', to))
        .where('status', '=', anyOf(statuses, 'text'))
        .returning(['id', 'created_at']),
    )
    .with('due', (query) =>
      query
        .updateTable('relata.webhooks')
        .set(dueSince(now, expression`(select min(created_at) from redelivered)`))
        .where(equal({ workspace_id: workspaceId, id: webhookId })),
    )
    .selectFrom('redelivered')
    .select([
      expression<number>`count(*)::int`.as('count'),
      expression<string[]>`array(select id from redelivered order by id desc limit ${MAX_PER_NOTIFICATION})`.as(
        'newest',
      ),
    ])
    .executeTakeFirstOrThrow()
  context.events?.wakeDeliveries()
  if (count > 0) await notifyStreams(context.db.sql, new Map([[webhookId, newest]]))
  return count
}

/** The webhook has a delivery that is due now, and one that was created at `created`. */
const dueSince = (now: string, created: RawBuilder<unknown>) => ({
  due_at: expression<string>`least(due_at, ${now}::timestamptz)`,
  waiting_since: expression<string>`least(case when due_at is not null then waiting_since end, ${created}, ${now}::timestamptz)`,
})

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
  await controlQueriesIn(context.db.sql)
    .with('due', (query) =>
      query
        .updateTable('relata.webhooks')
        .set(dueSince(now, expression`null`))
        .where(equal({ workspace_id: context.model.workspace.id, id: webhookId }))
        .returning(['workspace_id', 'id']),
    )
    .insertInto('relata.deliveries')
    .columns([
      'workspace_id',
      'webhook_id',
      'id',
      'position',
      'event_type',
      'record_id',
      'list_id',
      'kind',
      'idempotency_key',
      'body',
      'rights',
      'due_at',
      'created_at',
    ])
    .expression((query) =>
      query
        .selectFrom('due')
        .select([
          'workspace_id',
          'id as webhook_id',
          expression<string>`${test.id}::uuid`.as('id'),
          expression<string>`0`.as('position'),
          expression<string>`${test.event_type}::text`.as('event_type'),
          expression<string | null>`${test.record_id}::uuid`.as('record_id'),
          expression<string | null>`${test.list_id}::text`.as('list_id'),
          expression<string>`'test'`.as('kind'),
          expression<string>`${newId()}::uuid`.as('idempotency_key'),
          expression<string>`${test.body}::text`.as('body'),
          expression<string>`${test.rights}::text`.as('rights'),
          expression<string>`${now}::timestamptz`.as('due_at'),
          expression<string>`${now}::timestamptz`.as('created_at'),
        ]),
    )
    .execute()
  context.events?.wakeDeliveries()
  await notifyStreams(context.db.sql, new Map([[webhookId, [test.id]]]))
}
