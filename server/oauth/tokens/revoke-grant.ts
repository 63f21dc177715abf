/** The end of a grant, and the word of it in the audit log. */

import type { Transaction } from '../../../db/connect'
import { audit, type AuditActor } from '../../access/audit-log/audit'
import type { Micros } from '../../timing/clock'
import { revokeWithoutAudit } from './grants'

export interface GrantRevocation extends AuditActor {
  readonly reason: 'code used again' | 'refresh token used again' | 'revoked by the app' | 'revoked by an administrator'
  readonly now: Micros
}

/** False when it had ended, or never was. */
export async function revokeGrant(
  tx: Transaction,
  workspaceId: string,
  grantId: string,
  { actor, reason, address, now }: GrantRevocation,
): Promise<boolean> {
  const ended = await revokeWithoutAudit(tx, workspaceId, grantId, now)
  if (ended === undefined) return false
  await audit(tx, {
    workspaceId,
    actor,
    action: 'grant.revoked',
    subject: { type: 'grant', id: grantId },
    details: { reason, app_id: ended.appId },
    address,
    now,
  })
  return true
}
