/** What waits to be sent, read for many webhooks at once: a statement for all of them costs little more than for one. */

import type { Database } from '../../../db/connect'
import { microsFromPostgres, timestampFromMicros, type Clock } from '../../timing/clock'
import type { Asking } from './backlog'
import type { Lease } from './lease'

export interface Waiting {
  readonly id: string
  /** First attempts are made in the order of these. */
  readonly position: number
  readonly createdAt: string
  readonly idempotencyKey: string
  readonly body: string
  /** Attempts so far. */
  readonly attempts: number
}

/** A webhook as it is now, which may have been changed while its lease is held. */
export interface WebhookTarget {
  readonly workspaceId: string
  readonly webhookId: string
  readonly target: string
  readonly secrets: { readonly current: string; readonly previous?: string }
  /** Attempts that failed since one succeeded. */
  readonly failures: number
}

export interface Found {
  readonly hook: WebhookTarget
  /** The oldest deliveries that were never attempted, in their order. */
  readonly first: readonly Waiting[]
  /** Whether there are no more that were never attempted. */
  readonly isAll: boolean
  /** Deliveries whose next attempt is due. */
  readonly again: readonly Waiting[]
}

export interface Reader {
  /** Undefined when the lease is not this process's any more. */
  read(lease: Lease, asking: Asking): Promise<Found | undefined>
}

/** What a lane holds of first attempts, and asks for at once. */
export const MOST_FIRST = 100
/** Of a receiver that fails, and may take five seconds for each. */
export const MOST_FIRST_FAILING = 10
const AGAIN_AT_ONCE = 10
/** Bodies are to be read in pieces that keep nobody waiting. */
const MOST_ASKS = 20
const MOST_STATEMENTS = 2

interface Ask extends Asking {
  readonly lease: Lease
  readonly answer: PromiseWithResolvers<Found | undefined>
}

/** While one statement runs, what is asked for gathers for the next. */
export function createReader(db: Database, worker: string, now: Clock): Reader {
  let gathering: Ask[] = []
  let running = 0

  const run = async () => {
    running += 1
    while (gathering.length > 0) {
      const asks = gathering.slice(0, MOST_ASKS)
      gathering = gathering.slice(MOST_ASKS)
      try {
        const found = await listWaiting(db, worker, timestampFromMicros(now()), asks)
        for (const { lease, answer } of asks) answer.resolve(found.get(lease.webhookId))
      } catch (error) {
        for (const { answer } of asks) answer.reject(error)
      }
    }
    running -= 1
  }

  return {
    read(lease, asking) {
      const answer = Promise.withResolvers<Found | undefined>()
      gathering.push({ ...asking, lease, answer })
      if (running < MOST_STATEMENTS) void run()
      return answer.promise
    },
  }
}

/** What is read of a webhook; a secret before the last only as long as it is valid. */
export interface WebhookTargetRow {
  readonly workspace_id: string
  readonly webhook_id: string
  readonly target_url: string
  readonly secret: string
  readonly previous_secret: string | null
  readonly failures: number
}

export const webhookTargetOf = (row: WebhookTargetRow): WebhookTarget => ({
  workspaceId: row.workspace_id,
  webhookId: row.webhook_id,
  target: row.target_url,
  secrets: { current: row.secret, ...(row.previous_secret !== null && { previous: row.previous_secret }) },
  failures: row.failures,
})

interface Row extends WebhookTargetRow {
  /** Null when nothing waits. */
  readonly id: string | null
  /** A whole number below 2^53, which are events for 285 years at a million a second. */
  readonly position: string
  readonly created_at: string
  readonly idempotency_key: string
  readonly body: string
  readonly attempts: number
}

async function listWaiting(
  db: Database,
  worker: string,
  at: string,
  asks: readonly Ask[],
): Promise<Map<string, Found>> {
  const rows = await db.sql<Row[]>`
    select w.workspace_id, w.id as webhook_id, w.target_url, w.secret, w.failures,
      case when w.previous_secret_until > ${at} then w.previous_secret end as previous_secret,
      d.id, d.position, d.created_at, d.idempotency_key, d.body, d.attempts
    from unnest(
      ${asks.map(({ lease }) => lease.workspaceId)}::uuid[],
      ${asks.map(({ lease }) => lease.webhookId)}::uuid[],
      ${asks.map(({ skip }) => skip.size)}::int[],
      ${asks.map(({ upTo = Number.MAX_SAFE_INTEGER }) => String(upTo))}::text[]::bigint[]
    ) as a(workspace_id, webhook_id, skipped, up_to)
    join relata.webhooks w on w.workspace_id = a.workspace_id and w.id = a.webhook_id and w.leased_by = ${worker}
    left join lateral (
      (select id, created_at, idempotency_key, body, attempts, position from relata.deliveries
       where webhook_id = w.id and created_at >= w.waiting_since and due_at is not null and attempts = 0 and position <= a.up_to
       order by position, id limit a.skipped + case when w.failures = 0 then ${MOST_FIRST}::int else ${MOST_FIRST_FAILING}::int end)
      union all
      (select id, created_at, idempotency_key, body, attempts, position from relata.deliveries
       where webhook_id = w.id and created_at >= w.waiting_since and due_at <= ${at} and attempts > 0
       order by due_at, id limit ${AGAIN_AT_ONCE} + a.skipped)
    ) d on true
    order by d.position, d.id`
  const byWebhook = Map.groupBy(rows, ({ webhook_id }) => webhook_id)
  const skips = new Map(asks.map(({ lease, skip }) => [lease.webhookId, skip]))
  return new Map([...byWebhook].map(([id, of]) => [id, foundIn(of, skips.get(id) ?? new Set())]))
}

function foundIn(rows: readonly Row[], skip: ReadonlySet<string>): Found {
  const [row] = rows as [Row] // a group has at least one
  const all = rows.flatMap((each) => (each.id === null ? [] : [waitingOf(each, each.id)]))
  const waiting = all.filter(({ id }) => !skip.has(id))
  const most = row.failures === 0 ? MOST_FIRST : MOST_FIRST_FAILING
  return {
    hook: webhookTargetOf(row),
    first: waiting.filter(({ attempts }) => attempts === 0),
    isAll: all.filter(({ attempts }) => attempts === 0).length < most + skip.size,
    again: waiting.filter(({ attempts }) => attempts > 0),
  }
}

const waitingOf = ({ position, created_at, idempotency_key, body, attempts }: Row, id: string): Waiting => ({
  id,
  position: Number(position),
  createdAt: timestampFromMicros(microsFromPostgres(created_at)),
  idempotencyKey: idempotency_key,
  body,
  attempts,
})
