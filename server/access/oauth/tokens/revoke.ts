/** Revokes a grant and appends the revocation to the audit log. */

import type { Database, Transaction } from '#db/connect'
import { audit, type AuditActor } from '#access/audit-log/audit'
import type { Micros } from '#base/timing/clock'
import { revokeWithoutAudit } from './grants'
import { hashColumn } from '#access/secrets'
import type { App } from '#access/oauth/apps/apps'
import { findRefreshToken } from './tokens'

interface GrantRevocation extends AuditActor {
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

// Revokes a token at the request of its app. RFC 7009; see docs/reference/access-and-oauth.md (Revocation).

/**
 * Revokes the whole grant of the token, as RFC 7009 allows. Ignores unknown tokens and tokens of other apps without an
 * error. See docs/decisions/oauth.md.
 */
export async function revokePresentedToken(
  db: Database,
  app: App,
  token: string,
  { address, now }: { readonly address: string | null; readonly now: number },
): Promise<void> {
  const grant = (await findAccessTokenGrant(db, token)) ?? (await findRefreshToken(db.sql, token))
  if (grant?.appId !== app.id) return
  const revocation = { actor: { type: 'app', id: app.id }, reason: 'revoked by the app', address, now } as const
  await db.sql.begin((tx) => revokeGrant(tx, grant.workspaceId, grant.grantId, revocation))
}

interface TokenGrant {
  readonly workspaceId: string
  readonly grantId: string
  readonly appId: string
}

const findAccessTokenGrant = ({ control }: Database, token: string): Promise<TokenGrant | undefined> =>
  control
    .selectFrom('relata.tokens')
    .select(['workspace_id as workspaceId', 'grant_id as grantId', 'client_id as appId'])
    .where('token_hash', '=', hashColumn(token))
    .where('grant_id', 'is not', null)
    .$castTo<TokenGrant>()
    .executeTakeFirst()
