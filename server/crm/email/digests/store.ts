/** The queue of digests. `server/crm/inbox/notify.ts` puts members into it. */

import type { Database } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { type Queue, released, type Taken, updateLeased } from '#engine/queue'
import { DIGEST_INTERVAL } from '#crm/inbox/settings'
import { type InboxKey, listUndigestedRows, type NotificationRow } from '#crm/inbox/store'
import { timestampFromMicros, type Micros } from '#base/timing/clock'

/** A member whose digest is due. */
export type DueDigest = Taken<'relata.inboxes'>

export const digestQueue: Queue<'relata.inboxes'> = {
  table: 'relata.inboxes',
  id: 'member_id',
  lease: 'back-off',
  sends: true,
}

/**
 * Marks the notifications of a digest. If unread notifications remain, the next digest is due after `DIGEST_INTERVAL`. The lock
 * makes a concurrent insertion queue its digest afterwards. `sentAt` is null when no email was sent.
 */
export async function finishDigest(
  db: Database,
  key: InboxKey,
  digested: readonly NotificationRow[],
  { sentAt, now }: { readonly sentAt: Micros | null; readonly now: Micros },
): Promise<void> {
  const { workspaceId, memberId } = key
  await db.sql.begin(async (tx) => {
    await tx`
      select 1 from relata.inboxes where workspace_id = ${workspaceId} and member_id = ${memberId} for update`
    await tx`
      update relata.notifications set is_digested = true
      where workspace_id = ${workspaceId} and member_id = ${memberId} and id in (
        select id from relata.notifications
        where workspace_id = ${workspaceId} and member_id = ${memberId} and id = any(${digested.map(({ id }) => id)}::uuid[])
        for update skip locked)` // another transaction reads or deletes a locked row; waiting for it could deadlock
    const isWaiting = (await listUndigestedRows(tx, key, 1)).length > 0
    await tx`
      update relata.inboxes set attempts = 0, leased_by = null, worker = null, digested_at = coalesce(${sentAt && timestampFromMicros(sentAt)}, digested_at),
        due_at = case when ${isWaiting} then ${timestampFromMicros(now)}::timestamptz + ${DIGEST_INTERVAL}::interval end
      where workspace_id = ${workspaceId} and member_id = ${memberId}`
  })
}

/** Takes a member from the queue. */
export async function dropDigest({ sql }: Database, { workspace_id, member_id, leased_by }: DueDigest): Promise<void> {
  const lease = { workspaceId: workspace_id, id: member_id, leaseId: leased_by }
  await updateLeased(sql, digestQueue, lease, released(null), 'member_id')
}

/** The names of the members who act under these numbers. */
export async function readNames(
  db: Database,
  workspaceId: string,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (numbers.length === 0) return new Map()
  const rows = await controlQueriesIn(db.sql)
    .selectFrom('relata.actors as a')
    .innerJoin('relata.workspace_members as m', (join) =>
      join.onRef('m.workspace_id', '=', 'a.workspace_id').onRef('m.id', '=', 'a.id'),
    )
    .select(['a.number', 'm.first_name', 'm.last_name'])
    .where('a.workspace_id', '=', workspaceId)
    .where('a.number', 'in', [...new Set(numbers)])
    .execute()
  return new Map(rows.map(({ number, first_name, last_name }) => [number, `${first_name} ${last_name}`.trim()]))
}
