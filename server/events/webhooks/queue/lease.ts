/**
 * The lease of a webhook is the right of one process to send its deliveries, in `leased_by` and `leased_until` of its row.
 * A lease that its process does not renew expires, and another process takes it. See docs/decisions/webhook-delivery.md.
 */

import type { Database, Sql } from '#db/connect'
import { microsFromPostgres, timestampFromMicros, type Clock, type Micros } from '#base/timing/clock'
import { MAX_COUNTED, type QueueLength } from '#engine/queue'

export interface WebhookLease {
  readonly workspaceId: string
  readonly webhookId: string
}

/** A process that sends deliveries. Its leases carry its name. */
export interface WorkerProcess {
  readonly db: Database
  readonly name: string
  readonly now: Clock
}

/** A process that publishes deliveries and can send them immediately. */
export interface PublishingWorker {
  readonly name: string
  /** How many leases of webhooks without pending deliveries it can take. */
  readonly freeSlots: number
  readonly now: Micros
}

export const LEASE_MICROS = 30_000_000

export interface LeaseRequest {
  readonly limit: number
  /** Takes only webhooks whose last attempt succeeded. */
  readonly onlyHealthy: boolean
  /** The webhooks that have a queue in this process. Other leases of this process were not released, and are free. */
  readonly openIds: readonly string[]
}

export interface LeaseStore {
  /** Takes the leases of webhooks with a due delivery, longest due first. */
  take(request: LeaseRequest): Promise<WebhookLease[]>
  renew(webhookIds: readonly string[]): Promise<void>
  /** Releases a lease. The webhook is due again when its next delivery is. */
  release(lease: WebhookLease): Promise<void>
}

export const createLeaseStore = (worker: WorkerProcess): LeaseStore => ({
  take: (request) => takeLeases(worker, request),
  renew: (webhookIds) => renewLeases(worker, webhookIds),
  release: (lease) => releaseLease(worker, lease),
})

/**
 * How many deliveries wait for an attempt, counted up to twice `MAX_COUNTED`, and since when a webhook is due. A webhook whose receiver fails is
 * due when its back-off ends. Each of the two conditions has an index.
 */
export async function readDeliveryLength(sql: Sql, now: Micros): Promise<QueueLength> {
  const [row] = await sql<{ waiting: string; since: string | null }[]>`
    select (select count(*) from (
        (select from relata.deliveries where due_at is not null and attempts = 0 limit ${MAX_COUNTED}::int)
        union all
        (select from relata.deliveries where due_at is not null and attempts > 0 limit ${MAX_COUNTED}::int)
      ) pending) as waiting,
      (select min(due_at) from relata.webhooks w where due_at <= ${timestampFromMicros(now)}
        and exists (select from relata.workspaces s where s.id = w.workspace_id)) as since`
  const since = row?.since ?? null
  return { waiting: Number(row?.waiting ?? 0), since: since === null ? undefined : microsFromPostgres(since) }
}

async function takeLeases({ db, name, now }: WorkerProcess, request: LeaseRequest): Promise<WebhookLease[]> {
  const { limit, onlyHealthy, openIds } = request
  const micros = now()
  const at = timestampFromMicros(micros)
  const rows = await db.sql<{ workspace_id: string; id: string }[]>`
    update relata.webhooks w set leased_by = ${name}, leased_until = ${timestampFromMicros(micros + LEASE_MICROS)}
    from (
      select workspace_id, id from relata.webhooks
      where due_at <= ${at} and (not ${onlyHealthy} or failures = 0) and id <> all(${[...openIds]}::uuid[])
        and (leased_until is null or leased_until <= ${at} or leased_by = ${name})
        and not exists (select from relata.installation where held_at is not null)
        and exists (select from relata.workspaces s where s.id = webhooks.workspace_id)
      order by due_at limit ${limit} for update skip locked
    ) due
    where w.workspace_id = due.workspace_id and w.id = due.id
    returning w.workspace_id, w.id`
  return rows.map(({ workspace_id, id }) => ({ workspaceId: workspace_id, webhookId: id }))
}

async function renewLeases({ db, name, now }: WorkerProcess, webhookIds: readonly string[]): Promise<void> {
  if (webhookIds.length === 0) return
  await db.sql`
    update relata.webhooks set leased_until = ${timestampFromMicros(now() + LEASE_MICROS)}
    where id = any(array(
      select id from relata.webhooks where id = any(${[...webhookIds]}::uuid[]) and leased_by = ${name} order by id for update))`
}

/**
 * Locks the row before it looks up the next delivery. An insert of a delivery locks the same row first. So the release
 * finds the delivery, or the insert finds the lease released.
 */
async function releaseLease({ db, name }: WorkerProcess, { workspaceId, webhookId }: WebhookLease): Promise<void> {
  await db.sql.begin(async (tx) => {
    const locked = await tx`
      select 1 from relata.webhooks
      where workspace_id = ${workspaceId} and id = ${webhookId} and leased_by = ${name} for update`
    if (locked.length === 0) return
    await tx`
      update relata.webhooks set leased_by = null, leased_until = null, due_at = least(
        (select min(due_at) from relata.deliveries
         where webhook_id = ${webhookId} and created_at >= waiting_since and due_at is not null and attempts = 0),
        (select min(due_at) from relata.deliveries
         where webhook_id = ${webhookId} and created_at >= waiting_since and due_at is not null and attempts > 0))
      where workspace_id = ${workspaceId} and id = ${webhookId}`
  })
}
