/** Leases of file imports: a member runs one at a time, over all processes. The lease of a dead process ends after a minute. */

import type { Database } from '#db/connect'
import { logError } from '#base/logging/log-error'
import { type Clock, type Micros, timestampFromMicros } from '#base/timing/clock'

const LEASE_MICROS = 60_000_000
const RENEW_EVERY_MS = 20_000

export interface LeasingMember {
  readonly workspaceId: string
  readonly memberId: string
}

/** Releases a lease. Further calls do nothing. */
export type Release = () => Promise<void>

/** Takes the lease of a member and renews it until its release. Returns undefined while another import has it. */
export async function leaseFileImport(db: Database, now: Clock, member: LeasingMember): Promise<Release | undefined> {
  const leaseId = crypto.randomUUID()
  if (!(await takeLease(db, member, leaseId, now()))) return undefined
  const renewal = setInterval(() => {
    renewLease(db, member, leaseId, now()).catch((error: unknown) =>
      logError('The lease of a file import could not be renewed yet.', error),
    )
  }, RENEW_EVERY_MS)
  return async () => {
    clearInterval(renewal)
    await deleteLease(db, member, leaseId).catch((error: unknown) =>
      logError('The lease of a file import could not be released. It ends after a minute.', error),
    )
  }
}

const until = (now: Micros): string => timestampFromMicros(now + LEASE_MICROS)

async function takeLease(db: Database, member: LeasingMember, leaseId: string, now: Micros): Promise<boolean> {
  const lease = { leased_by: leaseId, leased_until: until(now), worker: db.pools.applicationName }
  const taken = await db.control
    .insertInto('relata.file_import_leases')
    .values({ workspace_id: member.workspaceId, member_id: member.memberId, ...lease })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'member_id'])
        .doUpdateSet(lease)
        .where('relata.file_import_leases.leased_until', '<', timestampFromMicros(now)),
    )
    .returning('leased_by')
    .executeTakeFirst()
  return taken !== undefined
}

async function renewLease(db: Database, member: LeasingMember, leaseId: string, now: Micros): Promise<void> {
  await db.control
    .updateTable('relata.file_import_leases')
    .set({ leased_until: until(now) })
    .where('workspace_id', '=', member.workspaceId)
    .where('member_id', '=', member.memberId)
    .where('leased_by', '=', leaseId)
    .execute()
}

async function deleteLease(db: Database, member: LeasingMember, leaseId: string): Promise<void> {
  await db.control
    .deleteFrom('relata.file_import_leases')
    .where('workspace_id', '=', member.workspaceId)
    .where('member_id', '=', member.memberId)
    .where('leased_by', '=', leaseId)
    .execute()
}
