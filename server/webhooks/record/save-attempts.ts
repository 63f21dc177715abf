/**
 * Keeps what came of attempts: many at once, for all of them cost little more than one.
 * See docs/reference/webhooks-and-events.md (The status of a webhook, Attempts).
 */

import type { Database, Transaction } from '../../../db/connect'
import { sendTogether } from '../../events/send-together'
import { timestampFromMicros, type Micros } from '../../timing/clock'
import { nextAttempt } from './retry-schedule'
import type { Attempted } from '../send/send-request'
import type { WebhookTarget, Waiting } from '../queue/pending-deliveries'
import { notifyWatchersSoon } from '../watch-hub'

/** One attempt and its delivery. */
export interface Outcome {
  readonly hook: WebhookTarget
  readonly delivery: Waiting
  readonly at: Micros
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly attempted: Attempted
}

/** A webhook that has failed for so long after its first message was given up is told nothing more. */
const DEGRADED_FOR = '7 days'
/** What fits into a payload of 8,000 bytes, with their webhooks. */
const MOST_TOLD = 80

export const hasSucceeded = ({ status, problem }: Attempted): boolean =>
  problem === undefined && status !== undefined && status >= 200 && status < 300

/** `random` is from 0 to 1. */
export async function recordOutcomes(db: Database, outcomes: readonly Outcome[], random: () => number): Promise<void> {
  const rows = outcomes.map((outcome) => rowOf(outcome, random()))
  await db.sql.begin(async (tx) => {
    await sendTogether([insertAttempts(tx, rows), updateWebhooks(tx, rows)])
  })
}

/** Of a delivery no attempt at which can be kept: so that it is not made for ever. */
export async function markFailed({ sql }: Database, { hook, delivery, at }: Outcome): Promise<void> {
  await sql`
    update relata.deliveries set status = 'failed', due_at = null, finished_at = ${timestampFromMicros(at)}
    where webhook_id = ${hook.webhookId} and id = ${delivery.id} and created_at = ${delivery.createdAt}
      and status = 'waiting'`
}

/** Tells who watches, once outcomes are kept: the transaction that keeps them must not wait for that of others who tell. */
export async function tellOutcomes({ sql }: Database, outcomes: readonly Outcome[]): Promise<void> {
  const told = Map.groupBy(outcomes.slice(-MOST_TOLD), ({ hook }) => hook.webhookId)
  await notifyWatchersSoon(sql, new Map([...told].map(([id, all]) => [id, all.map(({ delivery }) => delivery.id)])))
}

interface Row {
  readonly workspace_id: string
  readonly webhook_id: string
  readonly delivery_id: string
  readonly created_at: string
  readonly status: 'waiting' | 'succeeded' | 'failed'
  readonly due_at: string | null
  readonly at: string
  readonly status_code: number | null
  readonly [column: string]: unknown
}

function rowOf({ hook, delivery, at, requestHeaders, attempted }: Outcome, random: number): Row {
  const { status, headers, body, problem, duration, address } = attempted
  const attempts = delivery.attempts + 1
  const isDone = hasSucceeded(attempted)
  const due = isDone ? undefined : nextAttempt({ attempts, at, status, retryAfter: headers['retry-after'] }, random)
  return {
    workspace_id: hook.workspaceId,
    webhook_id: hook.webhookId,
    delivery_id: delivery.id,
    created_at: delivery.createdAt,
    status: isDone ? 'succeeded' : due === undefined ? 'failed' : 'waiting',
    due_at: due === undefined ? null : timestampFromMicros(due),
    number: attempts,
    at: timestampFromMicros(at),
    duration_ms: duration,
    status_code: status ?? null,
    problem_code: problem?.code ?? null,
    problem: problem?.message ?? null,
    address: address ?? null,
    request_headers: requestHeaders,
    response_headers: headers,
    response_body: body,
  }
}

/** The deliveries' rows are written before the attempts', so that a delivery that was dropped meanwhile stays so. */
async function insertAttempts(tx: Transaction, rows: readonly Row[]): Promise<void> {
  // All are written alike, so they are in the order of their texts.
  const times = rows.map(({ created_at }) => created_at).sort()
  const [oldest = '', newest = ''] = [times[0], times.at(-1)] // there is at least one
  await tx`
    with o as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as o(
        workspace_id uuid, webhook_id uuid, delivery_id uuid, created_at timestamptz, status text, due_at timestamptz,
        number int, at timestamptz, duration_ms int, status_code int, problem_code text, problem text, address text,
        request_headers json, response_headers json, response_body text)
    ), changed as (
      update relata.deliveries d set status = o.status, attempts = d.attempts + 1, due_at = o.due_at,
        finished_at = case when o.due_at is null then o.at end
      from o where d.webhook_id = o.webhook_id and d.id = o.delivery_id and d.created_at = o.created_at
        -- What follows from that, in a form that leaves partitions out.
        and d.created_at >= ${oldest} and d.created_at <= ${newest} and d.status = 'waiting'
    )
    insert into relata.delivery_attempts
      (workspace_id, webhook_id, delivery_id, number, at, duration_ms, status_code, problem_code, problem, address,
       request_headers, response_headers, response_body)
    select workspace_id, webhook_id, delivery_id, number, at, duration_ms, status_code, problem_code, problem, address,
      request_headers, response_headers, response_body
    from o`
}

/** What an attempt makes of its webhook; the last one decides. */
interface Verdict {
  readonly workspace_id: string
  readonly id: string
  readonly at: string
  readonly succeeded: boolean
  /** Whether a message was given up. */
  readonly gave_up: boolean
  readonly failures: number
}

/**
 * Each webhook's row is written once, in the order of their ids, as everyone does who locks several. One that fails as it
 * did not before leaves a notice, of which a letter is made beside all this.
 */
async function updateWebhooks(tx: Transaction, rows: readonly Row[]): Promise<void> {
  const verdicts = [...Map.groupBy(rows, ({ webhook_id }) => webhook_id)].map(([id, all]) => verdictOn(id, all))
  await tx`
    with v as (
      select * from json_to_recordset(${JSON.stringify(verdicts)}::text::json)
        as v(workspace_id uuid, id uuid, at timestamptz, succeeded boolean, gave_up boolean, failures int)
    ), held as (
      select w.id, w.status as was from relata.webhooks w join v on v.workspace_id = w.workspace_id and v.id = w.id
      where not v.succeeded or w.failures > 0 or w.status = 'degraded'
      order by w.id for update of w
    ), changed as (
      update relata.webhooks w set
        failures = case when v.succeeded then 0 else w.failures + v.failures end,
        status = case
          when w.status = 'inactive' then w.status
          when v.succeeded then 'active'
          when w.degraded_at < v.at - ${DEGRADED_FOR}::interval then 'inactive'
          when v.gave_up then 'degraded'
          else w.status end,
        degraded_at = case when v.succeeded then null when v.gave_up then coalesce(w.degraded_at, v.at) else w.degraded_at end
      from v, held where held.id = w.id and v.workspace_id = w.workspace_id and v.id = w.id
      returning w.workspace_id, w.id, w.status, v.at, held.was
    )
    insert into relata.webhook_alerts (workspace_id, webhook_id, status, at, due_at)
    select workspace_id, id, status, at, at from changed where status <> was and status <> 'active'`
  if (verdicts.some(({ succeeded }) => !succeeded)) await dropOfInactive(tx, verdicts)
}

function verdictOn(id: string, rows: readonly Row[]): Verdict {
  const [first] = rows
  const last = rows.at(-1)
  return {
    id,
    workspace_id: first?.workspace_id ?? '', // a group has at least one
    at: last?.at ?? '',
    succeeded: last?.status === 'succeeded',
    gave_up: rows.some(({ status }) => status === 'failed'),
    failures: rows.filter(({ status }) => status !== 'succeeded').length,
  }
}

async function dropOfInactive(tx: Transaction, verdicts: readonly Verdict[]): Promise<void> {
  const ids = verdicts.map(({ id }) => id)
  await tx`
    update relata.deliveries d set status = 'dropped', due_at = null, finished_at = w.degraded_at
    from relata.webhooks w
    where w.id = any(${ids}::uuid[]) and w.status = 'inactive' and d.webhook_id = w.id and d.due_at is not null`
}
