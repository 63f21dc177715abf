/**
 * Which process sends a webhook's deliveries: the one that holds its lease. A lease that is not renewed ends by itself, so
 * what a killed process was at is taken over. Decision 0061.
 */

import type { Database } from '../../db/connect'
import { microsFromPostgres, timestampFromMicros, type Micros } from '../time'

export interface Lease {
  readonly workspaceId: string
  readonly webhookId: string
  readonly target: string
  /** Attempts that failed since one succeeded. */
  readonly failures: number
  readonly secrets: { readonly current: string; readonly previous?: string }
}

export const LEASE_MICROS = 30_000_000

interface Row {
  readonly workspace_id: string
  readonly id: string
  readonly target_url: string
  readonly secret: string
  readonly previous_secret: string | null
  readonly failures: number
}

/** Takes up to `most` webhooks with something due, those that wait longest first. */
export async function takeLeases(
  db: Database,
  worker: string,
  now: Micros,
  { most, onlyWell }: { readonly most: number; readonly onlyWell: boolean },
): Promise<Lease[]> {
  const at = timestampFromMicros(now)
  const rows = await db.sql<Row[]>`
    update relata.webhooks w set leased_by = ${worker}, leased_until = ${timestampFromMicros(now + LEASE_MICROS)}
    from (
      select workspace_id, id from relata.webhooks
      where due_at <= ${at} and (leased_until is null or leased_until <= ${at}) and (not ${onlyWell} or failures = 0)
      order by due_at limit ${most} for update skip locked
    ) due
    where w.workspace_id = due.workspace_id and w.id = due.id
    returning w.workspace_id, w.id, w.target_url, w.secret, w.failures,
      case when w.previous_secret_until > ${at} then w.previous_secret end as previous_secret`
  return rows.map(({ workspace_id, id, target_url, failures, secret, previous_secret }) => ({
    workspaceId: workspace_id,
    webhookId: id,
    target: target_url,
    failures,
    secrets: { current: secret, ...(previous_secret !== null && { previous: previous_secret }) },
  }))
}

/** Says that this process is still at them. */
export async function renewLeases(db: Database, worker: string, now: Micros): Promise<void> {
  await db.sql`
    update relata.webhooks set leased_until = ${timestampFromMicros(now + LEASE_MICROS)}
    where leased_by = ${worker} and leased_until is not null`
}

/**
 * Gives a webhook back, due again when the next of its deliveries is. The row is locked before that is looked up: who
 * adds a delivery changes the row after it, so either we see the delivery or they see the row given back.
 */
export async function releaseLease(db: Database, worker: string, lease: Lease): Promise<void> {
  const { workspaceId, webhookId } = lease
  await db.sql.begin(async (tx) => {
    const held = await tx`
      select 1 from relata.webhooks
      where workspace_id = ${workspaceId} and id = ${webhookId} and leased_by = ${worker} for update`
    if (held.length === 0) return
    await tx`
      update relata.webhooks set leased_by = null, leased_until = null, due_at = least(
        (select min(due_at) from relata.deliveries where webhook_id = ${webhookId} and due_at is not null and attempts = 0),
        (select min(due_at) from relata.deliveries where webhook_id = ${webhookId} and due_at is not null and attempts > 0))
      where workspace_id = ${workspaceId} and id = ${webhookId}`
  })
}

/** What waits to be sent. */
export interface Waiting {
  readonly id: string
  readonly createdAt: string
  readonly idempotencyKey: string
  readonly body: string
  /** Attempts so far. */
  readonly attempts: number
}

/** The oldest deliveries that were never attempted, in their order. */
export const listFirst = (db: Database, { webhookId }: Lease, most: number): Promise<Waiting[]> =>
  db.sql<WaitingRow[]>`
    select id, created_at, idempotency_key, body, attempts from relata.deliveries
    where webhook_id = ${webhookId} and due_at is not null and attempts = 0
    order by position, id limit ${most}`.then(fromRows)

/** Deliveries whose next attempt is due. */
export const listAgain = (db: Database, { webhookId }: Lease, now: Micros, most: number): Promise<Waiting[]> =>
  db.sql<WaitingRow[]>`
    select id, created_at, idempotency_key, body, attempts from relata.deliveries
    where webhook_id = ${webhookId} and due_at <= ${timestampFromMicros(now)} and attempts > 0
    order by due_at, id limit ${most}`.then(fromRows)

interface WaitingRow {
  readonly id: string
  readonly created_at: string
  readonly idempotency_key: string
  readonly body: string
  readonly attempts: number
}

const fromRows = (rows: readonly WaitingRow[]): Waiting[] =>
  rows.map(({ id, created_at, idempotency_key, body, attempts }) => ({
    id,
    createdAt: timestampFromMicros(microsFromPostgres(created_at)),
    idempotencyKey: idempotency_key,
    body,
    attempts,
  }))
