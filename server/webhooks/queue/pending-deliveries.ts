/**
 * Reads the pending deliveries of webhook queues. One statement reads for many queues, because that costs little more
 * than a read for one queue.
 */

import { microsFromPostgres, timestampFromMicros } from '../../timing/clock'
import { webhookTargetOf, type PendingDelivery, type WebhookTarget, type WebhookTargetRow } from '../delivery'
import type { Lease, WorkerProcess } from './lease'
import type { PendingRead, ReadRequest } from './queue-memory'

export interface QueueRead extends PendingRead {
  readonly webhook: WebhookTarget
}

export interface PendingDeliveriesReader {
  /** Resolves to undefined when this process does not hold the lease any more, or when nothing may be sent. */
  read(lease: Lease, request: ReadRequest): Promise<QueueRead | undefined>
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
  readonly lease: Lease
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

interface PendingRow extends WebhookTargetRow {
  /** Null when the webhook has no pending delivery. */
  readonly id: string | null
  /** A whole number below 2^53, which is enough for 285 years at a million events a second. */
  readonly position: string
  readonly created_at: string
  readonly idempotency_key: string
  readonly body: string
  readonly attempts: number
}

async function readQueues(
  { db, name, now }: WorkerProcess,
  reads: readonly QueuedRead[],
): Promise<Map<string, QueueRead>> {
  const at = timestampFromMicros(now())
  const rows = await db.sql<PendingRow[]>`
    select w.workspace_id, w.id as webhook_id, w.target_url, w.secret, w.failures,
      case when w.previous_secret_until > ${at} then w.previous_secret end as previous_secret,
      d.id, d.position, d.created_at, d.idempotency_key, d.body, d.attempts
    from unnest(
      ${reads.map(({ lease }) => lease.workspaceId)}::uuid[],
      ${reads.map(({ lease }) => lease.webhookId)}::uuid[],
      ${reads.map(({ knownIds }) => knownIds.size)}::int[],
      ${reads.map(({ lastPosition }) => String(lastPosition))}::text[]::bigint[],
      ${reads.map(({ lastPosition, isComplete }) => String(isComplete ? lastPosition : Number.MAX_SAFE_INTEGER))}::text[]::bigint[]
    ) as r(workspace_id, webhook_id, known, last_position, max_position)
    join relata.webhooks w on w.workspace_id = r.workspace_id and w.id = r.webhook_id and w.leased_by = ${name}
    left join lateral (
      (select id, created_at, idempotency_key, body, attempts, position from relata.deliveries
       where webhook_id = w.id and created_at >= w.waiting_since and due_at is not null and attempts = 0
         and position <= r.max_position
         and (position > r.last_position or position = 0 or due_at <> created_at) -- test events, and repeated deliveries
       order by position, id limit case when w.failures = 0 then ${MAX_FIRST_ATTEMPTS}::int
         else ${MAX_FIRST_ATTEMPTS_FAILING}::int end)
      union all
      (select id, created_at, idempotency_key, body, attempts, position from relata.deliveries
       where webhook_id = w.id and created_at >= w.waiting_since and due_at <= ${at} and attempts > 0
       order by due_at, id limit ${MAX_RETRIES} + r.known)
    ) d on true
    where not exists (select from relata.installation where held_at is not null)
    order by d.position, d.id`
  const byWebhook = Map.groupBy(rows, ({ webhook_id }) => webhook_id)
  const knownIds = new Map(reads.map((read) => [read.lease.webhookId, read.knownIds]))
  return new Map([...byWebhook].map(([id, ofWebhook]) => [id, queueRead(ofWebhook, knownIds.get(id) ?? new Set())]))
}

function queueRead(rows: readonly PendingRow[], knownIds: ReadonlySet<string>): QueueRead {
  const [row] = rows as [PendingRow] // a group has at least one
  const all = rows.flatMap((each) => (each.id === null ? [] : [pendingDeliveryOf(each, each.id)]))
  const unknown = all.filter(({ id }) => !knownIds.has(id))
  return {
    webhook: webhookTargetOf(row),
    firstAttempts: unknown.filter(({ attempts }) => attempts === 0),
    isComplete: all.filter(({ attempts }) => attempts === 0).length < maxFirstAttempts(row.failures),
    retries: unknown.filter(({ attempts }) => attempts > 0),
  }
}

const pendingDeliveryOf = (row: PendingRow, id: string): PendingDelivery => ({
  id,
  position: Number(row.position),
  createdAt: timestampFromMicros(microsFromPostgres(row.created_at)),
  idempotencyKey: row.idempotency_key,
  body: row.body,
  attempts: row.attempts,
})
