/** Stores the outcomes of the attempts of all queues, in batches. See docs/decisions/webhook-delivery.md. */

import { type Database, cellsAsColumns, renderArray, rowsAsText, rowsFromText, type Transaction } from '#db/connect'
import { isDataRefused } from '#base/errors/database'
import { logError } from '#base/logging/log-error'
import { settleAll } from '#base/timing/wait'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { nextAttemptAt } from './retry-schedule'
import type { PendingDelivery, WebhookTarget } from '#events/webhooks/delivery'
import type { AttemptResult } from '#events/webhooks/send/send-request'
import { notifyStreamsUnlogged } from '#events/webhooks/stream-hub'

export interface AttemptRecorder {
  /** Resolves to true when the outcome is stored, to false when it is given up and its delivery stays pending. */
  record(outcome: AttemptOutcome): Promise<boolean>
  /** From now on, the recorder gives up outcomes that the database does not store at the first try. */
  stopRetrying(): void
}

export interface RecorderOptions {
  /** From 0 to 1; spreads retries. */
  readonly random?: () => number
  /** Called for each attempt whose response the database refused. */
  readonly onRefused?: () => void
}

const MAX_BATCH = 500
/** No code waits for a record, and a batch costs little more than one record. */
const COLLECT_MS = 20
/** After a batch of this size, the recorder collects for longer. */
const BUSY_BATCH = 25
const COLLECT_WHEN_BUSY_MS = 80
const RETRY_MS = 1_000

interface QueuedOutcome {
  readonly outcome: AttemptOutcome
  readonly resolve: (isStored: boolean) => void
}

interface Recording {
  readonly db: Database
  readonly random: () => number
  readonly onRefused: () => void
  isRetrying: boolean
}

export function createRecorder(db: Database, options: RecorderOptions = {}): AttemptRecorder {
  const { random = Math.random, onRefused = () => {} } = options
  const recording: Recording = { db, random, onRefused, isRetrying: true }
  let queued: QueuedOutcome[] = []
  let writing: Promise<void> | undefined

  const write = async () => {
    while (queued.length > 0) {
      const batch = queued.slice(0, MAX_BATCH)
      queued = queued.slice(MAX_BATCH)
      await saveBatch(recording, batch)
      await notifyStreamsOf(db, outcomesOf(batch)).catch((error: unknown) =>
        logError('The streams could not be notified of attempts.', error),
      )
      if (queued.length < MAX_BATCH) await Bun.sleep(batch.length < BUSY_BATCH ? COLLECT_MS : COLLECT_WHEN_BUSY_MS)
    }
    writing = undefined
  }

  return {
    record: (outcome) =>
      new Promise((resolve) => {
        queued.push({ outcome, resolve })
        writing ??= write()
      }),
    stopRetrying() {
      recording.isRetrying = false
    },
  }
}

const outcomesOf = (batch: readonly QueuedOutcome[]) => batch.map(({ outcome }) => outcome)

/** Retries until the database is back. When the database refuses the data of a batch, each outcome is saved alone. */
async function saveBatch(recording: Recording, batch: readonly QueuedOutcome[]): Promise<void> {
  for (;;) {
    const error = await errorOf(saveAttempts(recording.db, outcomesOf(batch), recording.random))
    if (error !== undefined && isDataRefused(error)) return saveSingly(recording, batch, error)
    if (error !== undefined) logError('Attempts could not be recorded yet.', error)
    if (error === undefined || !recording.isRetrying) {
      for (const { resolve } of batch) resolve(error === undefined)
      return
    }
    await Bun.sleep(RETRY_MS)
  }
}

async function saveSingly(recording: Recording, batch: readonly QueuedOutcome[], error: unknown): Promise<void> {
  const [only] = batch
  if (batch.length === 1 && only !== undefined) return saveWithoutResponse(recording, only, error)
  for (const each of batch) await saveBatch(recording, [each])
}

/** When the database refuses this as well, the delivery fails. */
async function saveWithoutResponse(
  { db, random, onRefused }: Recording,
  { outcome, resolve }: QueuedOutcome,
  error: unknown,
): Promise<void> {
  const { id } = outcome.delivery
  onRefused()
  logError(`The database refused the outcome of an attempt at delivery ${id}.`, error)
  const secondError = await errorOf(saveAttempts(db, [withoutResponse(outcome, error)], random))
  if (secondError === undefined) return resolve(true)
  const failError = await errorOf(failDelivery(db, outcome))
  logError(`Delivery ${id} has failed, because no attempt at it can be recorded.`, failError ?? secondError)
  resolve(failError === undefined)
}

const withoutResponse = (outcome: AttemptOutcome, error: unknown): AttemptOutcome => ({
  ...outcome,
  requestHeaders: {},
  result: {
    ...outcome.result,
    headers: {},
    body: `The receiver's response could not be stored: ${String(error)}`,
  },
})

/** Undefined when the promise resolves. */
const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error ?? 'unknown',
  )

// Saves the outcomes of many attempts in one transaction, because a batch costs little more than one attempt.
// See docs/reference/webhooks-and-events.md (The status of a webhook, Attempts).

/** An attempt with its delivery and its result. */
export interface AttemptOutcome {
  readonly webhook: WebhookTarget
  readonly delivery: PendingDelivery
  readonly at: Micros
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly result: AttemptResult
}

/** PostgreSQL limits a payload to 8,000 bytes. */
const MAX_PER_NOTIFICATION = 80

export const hasSucceeded = ({ status, problem }: AttemptResult): boolean =>
  problem === undefined && status !== undefined && status >= 200 && status < 300

/** `random` is from 0 to 1. */
async function saveAttempts(db: Database, outcomes: readonly AttemptOutcome[], random: () => number): Promise<void> {
  const rows = outcomes.map((outcome) => attemptRow(outcome, random()))
  await db.sql.begin(async (tx) => {
    await settleAll([insertAttempts(tx, rows), updateWebhooks(tx, rows)])
  })
}

/** Ends a delivery whose attempts cannot be recorded. Otherwise it would be attempted endlessly. */
async function failDelivery({ sql }: Database, { webhook, delivery, at }: AttemptOutcome): Promise<void> {
  await sql`
    update relata.deliveries set status = 'failed', due_at = null, finished_at = ${timestampFromMicros(at)}
    where webhook_id = ${webhook.webhookId} and id = ${delivery.id} and created_at = ${delivery.createdAt}
      and status = 'waiting'`
}

/** Runs in a transaction of its own, because transactions that notify commit one after the other. */
async function notifyStreamsOf({ sql }: Database, outcomes: readonly AttemptOutcome[]): Promise<void> {
  const byWebhook = Map.groupBy(outcomes.slice(-MAX_PER_NOTIFICATION), ({ webhook }) => webhook.webhookId)
  const changed = [...byWebhook].map(([id, all]) => [id, all.map(({ delivery }) => delivery.id)] as const)
  await notifyStreamsUnlogged(sql, new Map(changed))
}

/** An attempt, with the columns of its delivery that the attempt changes. */
interface AttemptRow {
  readonly workspace_id: string
  readonly webhook_id: string
  readonly delivery_id: string
  readonly created_at: string
  readonly status: 'waiting' | 'succeeded' | 'failed'
  readonly due_at: string | null
  readonly number: number
  readonly at: string
  readonly duration_ms: number
  readonly status_code: number | null
  readonly problem_code: string | null
  readonly address: string | null
  /** The columns from here on are JSON, because texts of a receiver may have characters that separate cells. */
  readonly problem: string | null
  readonly request_headers: string
  readonly response_headers: string
  readonly response_body: string
}

function attemptRow({ webhook, delivery, at, requestHeaders, result }: AttemptOutcome, random: number): AttemptRow {
  const { status, headers, body, problem, duration, address } = result
  const attempts = delivery.attempts + 1
  const isSuccess = hasSucceeded(result)
  const due = isSuccess
    ? undefined
    : nextAttemptAt({ attempts, at, status, retryAfter: headers['retry-after'] }, random)
  return {
    workspace_id: webhook.workspaceId,
    webhook_id: webhook.webhookId,
    delivery_id: delivery.id,
    created_at: delivery.createdAt,
    status: isSuccess ? 'succeeded' : due === undefined ? 'failed' : 'waiting',
    due_at: due === undefined ? null : timestampFromMicros(due),
    number: attempts,
    at: timestampFromMicros(at),
    duration_ms: duration,
    status_code: status ?? null,
    problem_code: problem?.code ?? null,
    address: address ?? null,
    problem: problem === undefined ? null : JSON.stringify(problem.message),
    request_headers: JSON.stringify(requestHeaders),
    response_headers: JSON.stringify(headers),
    response_body: JSON.stringify(body),
  }
}

/** The cells of a row, in their order. */
const CELLS = {
  workspace_id: 'uuid',
  webhook_id: 'uuid',
  delivery_id: 'uuid',
  created_at: 'timestamptz',
  status: 'text',
  due_at: 'timestamptz',
  number: 'int',
  at: 'timestamptz',
  duration_ms: 'int',
  status_code: 'int',
  problem_code: 'text',
  address: 'text',
  problem: 'json',
  request_headers: 'json',
  response_headers: 'json',
  response_body: 'json',
} as const satisfies Record<keyof AttemptRow, string>
const COLUMNS = Object.keys(CELLS) as (keyof AttemptRow)[] // the keys of the object above

/**
 * Updates the deliveries and inserts the attempts. A delivery that was dropped since its attempt began stays dropped. The first
 * condition implies the next two. They make PostgreSQL look up the ids in the index whatever the size of the tables is when it plans
 * the statement, and let it skip partitions.
 */
const INSERT = `
  with o as materialized (
    select ${cellsAsColumns(CELLS)} from ${rowsFromText('$1')}
  ), changed as (
    update relata.deliveries d set status = o.status, attempts = d.attempts + 1, due_at = o.due_at,
      finished_at = case when o.due_at is null then o.at end
    from o where d.webhook_id = o.webhook_id and d.id = o.delivery_id and d.created_at = o.created_at
      and d.webhook_id = any($4::uuid[]) and d.id = any($5::uuid[])
      and d.created_at >= $2::timestamptz and d.created_at <= $3::timestamptz and d.status = 'waiting'
  )
  insert into relata.delivery_attempts
    (workspace_id, webhook_id, delivery_id, number, at, duration_ms, status_code, problem_code, problem, address,
     request_headers, response_headers, response_body)
  select workspace_id, webhook_id, delivery_id, number, at, duration_ms, status_code, problem_code, problem #>> '{}', address,
    request_headers, response_headers, response_body #>> '{}'
  from o`

async function insertAttempts(tx: Transaction, rows: readonly AttemptRow[]): Promise<void> {
  // All timestamps have the same format, so the order of their texts is the order of their times.
  const times = rows.map(({ created_at }) => created_at).sort()
  const [oldest = '', newest = ''] = [times[0], times.at(-1)] // there is at least one
  const webhookIds = [...new Set(rows.map(({ webhook_id }) => webhook_id))]
  const ids = rows.map(({ delivery_id }) => delivery_id)
  const parameters = [rowsAsText(COLUMNS, rows), oldest, newest, renderArray(webhookIds), renderArray(ids)]
  await tx.unsafe(INSERT, parameters, { prepare: true })
}

// Updates the status of webhooks after attempts. See docs/reference/webhooks-and-events.md (The status of a webhook).

/** A webhook that stays degraded for longer than this becomes inactive. */
const DEGRADED_FOR = '7 days'

/** What an attempt says about its webhook. */
interface RecordedAttempt {
  readonly workspace_id: string
  readonly webhook_id: string
  /** The status of the delivery after the attempt. */
  readonly status: 'waiting' | 'succeeded' | 'failed'
  readonly at: string
}

/** What the attempts at one webhook change in its row. The last attempt decides about success. */
interface WebhookChange {
  readonly workspace_id: string
  readonly id: string
  readonly at: string
  readonly succeeded: boolean
  /** Whether a delivery failed with its last attempt. */
  readonly gave_up: boolean
  readonly failures: number
}

/**
 * Writes each webhook's row once, in the order of ids, because all code that locks several webhooks locks them in this
 * order. A webhook that becomes degraded or inactive gets an alert, which another worker sends.
 */
async function updateWebhooks(tx: Transaction, rows: readonly RecordedAttempt[]): Promise<void> {
  const changes = [...Map.groupBy(rows, ({ webhook_id }) => webhook_id)].map(([id, all]) => webhookChange(id, all))
  await tx`
    with v as (
      select * from json_to_recordset(${JSON.stringify(changes)}::text::json)
        as v(workspace_id uuid, id uuid, at timestamptz, succeeded boolean, gave_up boolean, failures int)
    ), locked as (
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
      from v, locked where locked.id = w.id and v.workspace_id = w.workspace_id and v.id = w.id
      returning w.workspace_id, w.id, w.status, v.at, locked.was
    )
    insert into relata.webhook_alerts (workspace_id, webhook_id, status, at, due_at)
    select workspace_id, id, status, at, at from changed where status <> was and status <> 'active'`
  if (changes.some(({ succeeded }) => !succeeded)) await dropDeliveriesOfInactive(tx, changes)
}

function webhookChange(id: string, rows: readonly RecordedAttempt[]): WebhookChange {
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

async function dropDeliveriesOfInactive(tx: Transaction, changes: readonly WebhookChange[]): Promise<void> {
  const ids = changes.map(({ id }) => id)
  await tx`
    update relata.deliveries d set status = 'dropped', due_at = null, finished_at = w.degraded_at
    from relata.webhooks w
    where w.id = any(${ids}::uuid[]) and w.status = 'inactive' and d.webhook_id = w.id and d.due_at is not null`
}
