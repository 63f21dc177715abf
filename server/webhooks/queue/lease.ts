/**
 * Which process sends a webhook's deliveries: the one that holds its lease. A lease that is not renewed ends by itself, so
 * what a killed process was at is taken over. Decisions 0061 and 0062.
 */

import type { Database } from '../../../db/connect'
import { timestampFromMicros, type Micros } from '../../timing/clock'

export interface Lease {
  readonly workspaceId: string
  readonly webhookId: string
}

export const LEASE_MICROS = 30_000_000

export interface Taking {
  readonly most: number
  /** Only webhooks whose last attempt succeeded. */
  readonly onlyWell: boolean
  /** What this process is at; whatever else is leased by it, it could not give back. */
  readonly open: readonly string[]
  /** Processes that are no more, whose leases nobody will renew. */
  readonly gone: readonly string[]
}

/** Takes webhooks with something due, those that wait longest first. */
export async function takeLeases(
  db: Database,
  worker: string,
  now: Micros,
  { most, onlyWell, open, gone }: Taking,
): Promise<Lease[]> {
  const at = timestampFromMicros(now)
  const rows = await db.sql<{ workspace_id: string; id: string }[]>`
    update relata.webhooks w set leased_by = ${worker}, leased_until = ${timestampFromMicros(now + LEASE_MICROS)}
    from (
      select workspace_id, id from relata.webhooks
      where due_at <= ${at} and (not ${onlyWell} or failures = 0) and id <> all(${[...open]}::uuid[])
        and (leased_until is null or leased_until <= ${at} or leased_by = ${worker} or leased_by = any(${[...gone]}::uuid[]))
      order by due_at limit ${most} for update skip locked
    ) due
    where w.workspace_id = due.workspace_id and w.id = due.id
    returning w.workspace_id, w.id`
  return rows.map(({ workspace_id, id }) => ({ workspaceId: workspace_id, webhookId: id }))
}

/** Says that this process is still at them. */
export async function renewLeases(db: Database, worker: string, now: Micros, open: readonly string[]): Promise<void> {
  if (open.length === 0) return
  await db.sql`
    update relata.webhooks set leased_until = ${timestampFromMicros(now + LEASE_MICROS)}
    where id = any(array(
      select id from relata.webhooks where id = any(${[...open]}::uuid[]) and leased_by = ${worker} order by id for update))`
}

/**
 * Gives a webhook back, due again when the next of its deliveries is. The row is locked before that is looked up: who
 * adds a delivery locks the row before it, so either we see the delivery or they see the row given back.
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
        (select min(due_at) from relata.deliveries
         where webhook_id = ${webhookId} and created_at >= waiting_since and due_at is not null and attempts = 0),
        (select min(due_at) from relata.deliveries
         where webhook_id = ${webhookId} and created_at >= waiting_since and due_at is not null and attempts > 0))
      where workspace_id = ${workspaceId} and id = ${webhookId}`
  })
}
