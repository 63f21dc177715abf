/**
 * Reads the pending deliveries of webhook queues. One statement reads for many queues, because that costs little more
 * than a read for one queue.
 */

import { settleAll } from '#base/timing/wait'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import type { PendingDelivery, WebhookTarget } from '#events/webhooks/delivery'
import {
  accessColumns,
  type WebhookAccess,
  webhookAccessOf,
  type WebhookAccessRow,
  webhooksWithSavers,
  type SecretsRow,
  webhookTargetOf,
} from '#events/webhooks/match/webhook-access'
import type { WebhookLease, WorkerProcess } from './lease'
import type { PendingRead, ReadRequest } from './queue-memory'
import type { Database, Sql } from '#db/connect'
import type { EventType } from '#vocabulary/event-types'
import { type AccessSettings, presentBody, readAccessSettings } from '#events/webhooks/match/render-event'
import { notifyStreamsUnlogged } from '#events/webhooks/stream-hub'

interface QueueRead extends PendingRead {
  readonly webhook: WebhookTarget
}

export interface PendingDeliveriesReader {
  /** Resolves to undefined when this process does not hold the lease any more, or when nothing may be sent. */
  read(lease: WebhookLease, request: ReadRequest): Promise<QueueRead | undefined>
}

const MAX_FIRST_ATTEMPTS = 100
/** A failing receiver may take five seconds for each attempt. */
const MAX_FIRST_ATTEMPTS_FAILING = 10

/** How many published first attempts a queue has in memory, if their bodies are short: those of two large batches. */
const MAX_PUBLISHED = 1_000

/** How many first attempts a queue that was published to may have in memory. */
export const maxPublished = (failures: number): number => (failures === 0 ? MAX_PUBLISHED : MAX_FIRST_ATTEMPTS_FAILING)

/** How many first attempts a queue reads in one statement. */
const maxFirstAttempts = (failures: number): number =>
  failures === 0 ? MAX_FIRST_ATTEMPTS : MAX_FIRST_ATTEMPTS_FAILING

const MAX_RETRIES = 10
/** Limits the bytes of bodies that one statement returns. */
const MAX_QUEUES_PER_STATEMENT = 20
const MAX_STATEMENTS = 2

interface QueuedRead extends ReadRequest {
  readonly lease: WebhookLease
  readonly result: PromiseWithResolvers<QueueRead | undefined>
}

/** While a statement runs, the reader collects requests for the next one. */
export function createReader(worker: WorkerProcess): PendingDeliveriesReader {
  let queued: QueuedRead[] = []
  let running = 0

  const run = async () => {
    running += 1
    while (queued.length > 0) {
      const batch = queued.slice(0, MAX_QUEUES_PER_STATEMENT)
      queued = queued.slice(MAX_QUEUES_PER_STATEMENT)
      try {
        const found = await readQueues(worker, batch)
        for (const { lease, result } of batch) result.resolve(found.get(lease.webhookId))
      } catch (error) {
        for (const { result } of batch) result.reject(error)
      }
    }
    running -= 1
  }

  return {
    read(lease, request) {
      const result = Promise.withResolvers<QueueRead | undefined>()
      queued.push({ ...request, lease, result })
      if (running < MAX_STATEMENTS) void run()
      return result.promise
    },
  }
}

interface PendingRow extends CheckedRow {
  /** A whole number below 2^53, which is enough for 285 years at a million events a second. */
  readonly position: string
  readonly idempotency_key: string
  readonly attempts: number
  readonly traceparent: string | null
}

type LeasedRow = WebhookAccessRow & SecretsRow & { readonly failures: number }

interface LeasedWebhook {
  readonly access: WebhookAccess
  readonly target: WebhookTarget
}

async function readQueues(worker: WorkerProcess, reads: readonly QueuedRead[]): Promise<Map<string, QueueRead>> {
  const at = worker.now()
  const found = [findLeasedWebhooks(worker, reads, at), findPending(worker, reads, at)] as const
  await settleAll(found)
  const [webhooks, rows] = await Promise.all(found)
  const byWebhook = Map.groupBy(rows, ({ webhook_id }) => webhook_id)
  const knownIds = new Map(reads.map(({ lease, knownIds }) => [lease.webhookId, knownIds]))
  const isUnknown = ({ webhook_id, id }: PendingRow) => knownIds.get(webhook_id)?.has(id) !== true
  const access = new Map([...webhooks].map(([id, webhook]) => [id, webhook.access]))
  const bodies = await checkPending(worker.db, access, rows.filter(isUnknown), at)
  return new Map(
    [...webhooks].map(([id, { target }]) => {
      const ofWebhook = byWebhook.get(id) ?? []
      const pending = ofWebhook.flatMap((row) => {
        const body = bodies.get(row.id)
        return body === undefined ? [] : [pendingDeliveryOf({ ...row, body }, target)]
      })
      return [
        id,
        {
          webhook: target,
          firstAttempts: pending.filter(({ attempts }) => attempts === 0),
          isComplete: ofWebhook.filter(({ attempts }) => attempts === 0).length < maxFirstAttempts(target.failures),
          retries: pending.filter(({ attempts }) => attempts > 0),
        },
      ]
    }),
  )
}

/** One statement reads target and viewers, so no delivery that was checked for some viewers is sent to the target of others. */
async function findLeasedWebhooks(
  { db: { sql }, name }: WorkerProcess,
  reads: readonly QueuedRead[],
  at: Micros,
): Promise<Map<string, LeasedWebhook>> {
  const rows = await sql<LeasedRow[]>`
    select ${accessColumns(sql)}, w.secret, w.failures,
      case when w.previous_secret_until > ${timestampFromMicros(at)} then w.previous_secret end as previous_secret
    from ${webhooksWithSavers(sql)}
    where (w.workspace_id, w.id) in (select * from unnest(
        ${reads.map(({ lease }) => lease.workspaceId)}::uuid[], ${reads.map(({ lease }) => lease.webhookId)}::uuid[]))
      and w.leased_by = ${name}
      and not exists (select from relata.installation where held_at is not null)`
  return new Map(
    rows.map((row) => {
      const access = webhookAccessOf(row)
      return [access.id, { access, target: webhookTargetOf(row, access) }]
    }),
  )
}

const findPending = ({ db: { sql } }: WorkerProcess, reads: readonly QueuedRead[], at: Micros) => sql<PendingRow[]>`
  select w.id as webhook_id, d.*
  from unnest(
    ${reads.map(({ lease }) => lease.workspaceId)}::uuid[],
    ${reads.map(({ lease }) => lease.webhookId)}::uuid[],
    ${reads.map(({ knownIds }) => knownIds.size)}::int[],
    ${reads.map(({ lastPosition }) => String(lastPosition))}::text[]::bigint[],
    ${reads.map(({ lastPosition, isComplete }) => String(isComplete ? lastPosition : Number.MAX_SAFE_INTEGER))}::text[]::bigint[]
  ) as r(workspace_id, webhook_id, known, last_position, max_position)
  join relata.webhooks w on w.workspace_id = r.workspace_id and w.id = r.webhook_id
  cross join lateral (
    (select ${sql(PENDING_COLUMNS)} from relata.deliveries
     where webhook_id = w.id and created_at >= w.waiting_since and due_at is not null and attempts = 0
       and position <= r.max_position
       and (position > r.last_position or position = 0 or due_at <> created_at) -- test events, and repeated deliveries
     order by position, id limit case when w.failures = 0 then ${MAX_FIRST_ATTEMPTS}::int
       else ${MAX_FIRST_ATTEMPTS_FAILING}::int end)
    union all
    (select ${sql(PENDING_COLUMNS)} from relata.deliveries
     where webhook_id = w.id and created_at >= w.waiting_since and due_at <= ${timestampFromMicros(at)} and attempts > 0
     order by due_at, id limit ${MAX_RETRIES} + r.known)
  ) d
  order by d.position, d.id`

const PENDING_COLUMNS = [
  'id',
  'position',
  'created_at',
  'idempotency_key',
  'body',
  'attempts',
  'event_type',
  'list_id',
  'rights',
  'traceparent',
] as const satisfies (keyof PendingRow)[]

const pendingDeliveryOf = (row: PendingRow, { rights }: WebhookTarget): PendingDelivery => ({
  id: row.id,
  rights,
  position: Number(row.position),
  createdAt: timestampFromMicros(microsFromPostgres(row.created_at)),
  idempotencyKey: row.idempotency_key,
  body: row.body,
  attempts: row.attempts,
  traceparent: row.traceparent,
})

/**
 * Checks deliveries that were read from the table against what the viewers of their webhooks may see now. What a webhook may
 * not get any more is dropped, or left out of the body. See docs/decisions/event-access.md.
 */
interface CheckedRow {
  readonly webhook_id: string
  readonly id: string
  readonly created_at: string
  readonly event_type: EventType
  readonly list_id: string | null
  readonly body: string
  /** The rights that a test event was made for; null for other events. */
  readonly rights: string | null
}

/**
 * Returns the bodies as the webhooks may get them, by the id of the delivery. A dropped delivery has none. The settings are read
 * after the viewers; if they changed in between, the webhook has other rights than the deliveries, which are then read again.
 */
async function checkPending(
  { sql }: Database,
  webhooks: ReadonlyMap<string, WebhookAccess>,
  rows: readonly CheckedRow[],
  at: Micros,
): Promise<ReadonlyMap<string, string>> {
  if (rows.length === 0) return new Map()
  const workspaceIds = [...new Set([...webhooks.values()].map(({ workspaceId }) => workspaceId))]
  const listIds = [...new Set(rows.flatMap(({ list_id }) => list_id ?? []))]
  const settings = await readAccessSettings(sql, workspaceIds, listIds)
  const checked = rows.flatMap((row) => {
    const webhook = webhooks.get(row.webhook_id)
    return webhook === undefined ? [] : { row, body: bodyNow(webhook, row, settings) }
  })
  const dropped = checked.flatMap(({ row, body }) => (body === undefined ? row : []))
  if (dropped.length > 0) await drop(sql, dropped, at)
  const changed = checked.flatMap(({ row, body }) => (body === undefined || body === row.body ? [] : { row, body }))
  if (changed.length > 0) await replaceBodies(sql, changed)
  return new Map(checked.flatMap(({ row, body }) => (body === undefined ? [] : [[row.id, body]])))
}

/** A test event of a type that the viewers may not see names nothing that exists, as long as they have the same rights. */
function bodyNow(webhook: WebhookAccess, row: CheckedRow, settings: AccessSettings): string | undefined {
  const { event_type, list_id: listId, body, rights } = row
  if (rights !== null && rights === webhook.rights) return body
  return presentBody(webhook, { event_type, listId }, body, settings)
}

async function drop(sql: Sql, rows: readonly CheckedRow[], at: Micros): Promise<void> {
  const keys = rows.map(({ webhook_id, id, created_at }) => ({ webhook_id, id, created_at }))
  await sql`
    update relata.deliveries d set status = 'dropped', due_at = null, finished_at = ${timestampFromMicros(at)}
    from json_to_recordset(${JSON.stringify(keys)}::text::json) as r(webhook_id uuid, id uuid, created_at timestamptz)
    where d.webhook_id = r.webhook_id and d.id = r.id and d.created_at = r.created_at and d.status = 'waiting'`
  for (const [id, ofWebhook] of Map.groupBy(rows, ({ webhook_id }) => webhook_id))
    await notifyStreamsUnlogged(sql, new Map([[id, ofWebhook.slice(-MAX_PER_NOTIFICATION).map((row) => row.id)]]))
}

/** The number of ids that fit into a notification. */
const MAX_PER_NOTIFICATION = 80

interface ChangedBody {
  readonly row: CheckedRow
  readonly body: string
}

/**
 * Leaves a body alone whose values were removed since it was read. Responses to earlier attempts can repeat the earlier body, which
 * decided who sees them.
 */
async function replaceBodies(sql: Sql, changed: readonly ChangedBody[]): Promise<void> {
  const rows = changed.map(({ row: { webhook_id, id, created_at, body: was }, body }) => {
    return { webhook_id, id, created_at, was, body }
  })
  await sql`
    update relata.deliveries d set body = r.body
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as r(webhook_id uuid, id uuid, created_at timestamptz, was text, body text)
    where d.webhook_id = r.webhook_id and d.id = r.id and d.created_at = r.created_at and d.body = r.was`
  await sql`
    update relata.delivery_attempts set response_body = ''
    where delivery_id = any(${rows.map(({ id }) => id)}::uuid[]) and response_body <> ''`
}
