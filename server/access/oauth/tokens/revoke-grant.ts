/** Revokes a grant and appends the revocation to the audit log. */

import type { Transaction } from '#db/connect'
import { audit, type AuditActor } from '#access/audit-log/audit'
import type { Micros } from '#base/timing/clock'
import { revokeWithoutAudit } from './grants'

export interface GrantRevocation extends AuditActor {
  readonly reason: 'code used again' | 'refresh token used again' | 'revoked by the app' | 'revoked by an administrator'
  readonly now: Micros
}

/** Returns false when there is no such valid grant. */
export async function revokeGrant(
  tx: Transaction,
  workspaceId: string,
  grantId: string,
  { actor, reason, address, now }: GrantRevocation,
): Promise<boolean> {
  const revoked = await revokeWithoutAudit(tx, workspaceId, grantId, now)
  if (revoked === undefined) return false
  await audit(tx, {
    workspaceId,
    actor,
    action: 'grant.revoked',
    subject: { type: 'grant', id: grantId },
    details: { reason, app_id: revoked.appId },
    address,
    now,
  })
  return true
}
