/** Lists and reads the deliveries of a webhook. See docs/reference/webhooks-and-events.md (Deliveries). */

import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { sql as expression } from 'kysely'
import type { ApiContext } from '#context'
import { serviceUnavailable, readId } from '#base/errors/http'
import { deliveryNotFound } from '#base/errors/webhooks'
import { cursorsFor } from '#engine/query/run/cursor'
import { getWebhookRow } from '#api/resources/webhooks/webhooks'
import type { DeliveriesQuery, Delivery, DeliveryStatistics, WholeDelivery } from './schemas'
import {
  findDeliveries,
  findDeliveryDetails,
  listDeliveryRows,
  listNewDeliveries,
  visibleDeliveries,
  type VisibleDelivery,
} from './store'
import { timestampFromMicros, timestampFromPostgres } from '#base/timing/clock'
import { createSubscribedSignal } from '#base/timing/wait'
import { EventStream, type Renew, type StreamMessage } from '#api/http/response/event-stream'
import { createLru } from '#base/caching/caching'

interface DeliveriesPage {
  readonly data: Delivery[]
  readonly pagination: { readonly next_cursor: string | null }
}

/** Lists the newest deliveries first. Throws 404 for the webhook. */
export async function listDeliveries(
  context: ApiContext,
  webhookId: string,
  query: DeliveriesQuery,
): Promise<DeliveriesPage> {
  const { id } = await getWebhookRow(context, webhookId)
  const { limit = 50, cursor } = query
  const cursors = await cursorsFor(context, { id: `deliveries of ${id}` }, query)
  const [before = query.before ?? null] = cursor === undefined ? [] : cursors.decode(cursor)
  // One more delivery than the limit shows whether another page follows.
  const found = await listDeliveryRows(context, id, { ...query, limit: limit + 1, before })
  const data = found.slice(0, limit).map(({ delivery }) => delivery)
  const last = data.at(-1)
  const next_cursor = last && found.length > limit ? cursors.encode([last.delivery_id]) : null
  return { data, pagination: { next_cursor } }
}

/** Throws 404 for the webhook and for the delivery, and 400 when an id is not a UUID. */
export async function getDelivery(context: ApiContext, webhookId: string, deliveryId: string): Promise<WholeDelivery> {
  const webhook = await getWebhookRow(context, webhookId)
  const delivery = await findDeliveryDetails(context, webhook, readId('Delivery', deliveryId))
  if (delivery === undefined) throw deliveryNotFound(deliveryId)
  return delivery
}

/** The success rate and latency of a webhook. See docs/reference/webhooks-and-events.md (Deliveries). */
const DAY_MICROS = 86_400_000_000

interface FiguresRow {
  /** Null for the total. */
  readonly hour: string | null
  readonly attempts: number
  readonly succeeded: number
  readonly median: number | null
  readonly p95: number | null
}

/**
 * Counts attempts by their own time, also those that retry older deliveries. Of the deliveries, it reads those since the
 * oldest that was attempted: ids begin with their time. Throws 404 for the webhook.
 */
export async function readStatistics(context: ApiContext, webhookId: string): Promise<DeliveryStatistics> {
  const { id } = await getWebhookRow(context, webhookId)
  const since = timestampFromMicros(context.now() - DAY_MICROS)
  const rows = await controlQueriesIn(context.db.sql)
    .with(
      (name) => name('recent').materialized(),
      (query) =>
        query
          .selectFrom('relata.delivery_attempts')
          .select(['delivery_id', 'at', 'status_code', 'duration_ms'])
          .where(equal({ workspace_id: context.model.workspace.id, webhook_id: id }))
          .where('at', '>=', since),
    )
    .with(
      (name) => name('visible').materialized(),
      () =>
        visibleDeliveries(context, id)
          .clearSelect()
          .select('id')
          .where('id', '>=', expression<string>`(select delivery_id from recent order by 1 limit 1)`),
    )
    .selectFrom('recent as a')
    .innerJoin('visible', 'visible.id', 'a.delivery_id')
    .select([
      expression<string | null>`date_trunc('hour', a.at, 'UTC')`.as('hour'),
      expression<number>`count(*)::int`.as('attempts'),
      expression<number>`(count(*) filter (where a.status_code between 200 and 299))::int`.as('succeeded'),
      expression<number | null>`percentile_disc(0.5) within group (order by a.duration_ms)`.as('median'),
      expression<number | null>`percentile_disc(0.95) within group (order by a.duration_ms)`.as('p95'),
    ])
    .groupBy(expression`grouping sets ((1), ())`)
    .orderBy(expression`1`)
    .$castTo<FiguresRow>()
    .execute()
  const total = rows.find(({ hour }) => hour === null)
  const hours = rows.flatMap((row) =>
    row.hour === null ? [] : [{ hour: timestampFromPostgres(row.hour), ...figuresOf(row) }],
  )
  return { since, ...figuresOf(total), hours }
}

const figuresOf = (row: FiguresRow | undefined) => ({
  attempts: row?.attempts ?? 0,
  succeeded: row?.succeeded ?? 0,
  median_duration_ms: row?.median ?? null,
  p95_duration_ms: row?.p95 ?? null,
})

// Streams the deliveries of a webhook.

/** A client that reconnects gets the newest deliveries again, because it may have missed some of them. */
const REPEATED = 50
const PAGE_SIZE = 200
/** A client that reads too slowly misses the oldest attempts beyond these. */
const MAX_ATTEMPTED = 10_000
/** The stream reads the deliveries of a busy webhook at most once in this time. */
const COLLECT_MS = 100
/** A delivery becomes visible at most this long after its `created_at`. */
const MAX_COMMIT_DELAY_MICROS = 60_000_000

/**
 * Each message is one delivery, when it is created and after each attempt. A later message replaces an earlier one of the
 * same delivery. Throws 404.
 */
export async function watchDeliveries(
  context: ApiContext,
  webhookId: string,
  isReconnect: boolean,
): Promise<EventStream> {
  const { id } = await getWebhookRow(context, webhookId)
  return new EventStream((signal, renew) => follow(context, id, isReconnect, signal, renew))
}

async function* follow(
  context: ApiContext,
  webhookId: string,
  isReconnect: boolean,
  signal: AbortSignal,
  renew: Renew,
): AsyncGenerator<StreamMessage> {
  const { events, model } = context
  if (events === undefined) throw serviceUnavailable(new Date(Date.now() + 1000))
  const attempted = createLru<string, true>(MAX_ATTEMPTED)
  const subscribe = (wake: () => void) => {
    const stopAttempts = events.streams.subscribe(webhookId, (ids) => {
      for (const id of ids) attempted.set(id, true)
      wake()
    })
    // Every published event may cause deliveries.
    const stopEvents = events.hub.subscribe(model.workspace.id, wake)
    return () => (stopAttempts(), stopEvents())
  }
  const wakeSignal = createSubscribedSignal(subscribe, signal)
  const findNew = newDeliveriesOf(context, webhookId)
  try {
    if (isReconnect) yield* newest(context, webhookId)
    while (!signal.aborted) {
      await wakeSignal.wait()
      const current = await renew()
      if (current === undefined) return
      for (const delivery of await findNew(current)) yield message(delivery)
      while (attempted.size > 0 && !signal.aborted) {
        const ids = [...attempted.keys()].slice(0, PAGE_SIZE)
        for (const id of ids) attempted.delete(id)
        // The caller's access can have changed while the client read the messages before.
        const latest = await renew()
        if (latest === undefined) return
        for (const delivery of await findDeliveries(latest, webhookId, ids)) yield message(delivery)
      }
      await pause(COLLECT_MS, signal)
    }
  } finally {
    wakeSignal.close()
  }
}

async function* newest(context: ApiContext, webhookId: string): AsyncGenerator<StreamMessage> {
  const rows = await listDeliveryRows(context, webhookId, { limit: REPEATED, before: null })
  for (const delivery of rows.toReversed()) yield message(delivery)
}

/** The returned function finds the deliveries created since its last call, at most the newest `PAGE_SIZE`, the oldest first. */
function newDeliveriesOf({ now }: ApiContext, webhookId: string): (context: ApiContext) => Promise<VisibleDelivery[]> {
  const opened = now()
  let last: string | null = null
  return async (context) => {
    const since = timestampFromMicros(Math.max(opened, now() - MAX_COMMIT_DELAY_MICROS))
    const found = await listNewDeliveries(context, webhookId, { since, after: last, limit: PAGE_SIZE })
    last = found.at(-1)?.delivery.delivery_id ?? last
    return found
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await Bun.sleep(ms)
}

const message = ({ delivery, isVisible }: VisibleDelivery): StreamMessage => ({
  id: delivery.delivery_id,
  event: 'delivery',
  data: JSON.stringify(delivery),
  isVisible,
})
