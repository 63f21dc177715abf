/**
 * Issues a new access token for a refresh token, to apps that use refresh tokens. A refresh token works once and is replaced
 * by the next one. A second use shows that it was stolen, so the grant is revoked. RFC 9700, 4.14;
 * see docs/reference/access-and-oauth.md (Token endpoint).
 */

import type { Database, Transaction } from '#db/connect'
import type { TokenResource } from '#access/tokens/tokens'
import { oauthError, otherResource } from '#base/errors/protocols/oauth'
import type { App } from '#access/oauth/apps/apps'
import { requestedScopes } from '#access/oauth/requested-scopes'
import { narrowResource } from '#access/oauth/metadata'
import type { IssueContext } from './exchange-code'
import { lockGrant, revokeGrant } from './grants'
import {
  actorOfGrant,
  findRefreshToken,
  issueTokens,
  markRefreshTokenUsed,
  removeExpired,
  type IssuedTokens,
} from './tokens'

const UNKNOWN = 'The refresh_token is unknown, used, revoked or expired.'

export interface RefreshRequest {
  readonly token: string
  /** May name fewer scopes than were granted, for this access token only. */
  readonly scope: string | undefined
  /** Undefined for that of the grant. */
  readonly resource: TokenResource | 'unknown' | undefined
}

/** Throws `invalid_grant` and `invalid_target`. */
export async function refreshToken(
  db: Database,
  app: App,
  request: RefreshRequest,
  issueContext: IssueContext,
): Promise<IssuedTokens> {
  if (!app.uses_refresh_tokens) throw oauthError('unauthorized_client', 'This app does not use refresh tokens.')
  const outcome = await db.sql.begin((tx) => rotate(tx, app, request, issueContext))
  if (outcome === 'other resource') throw otherResource()
  if (outcome === undefined) throw oauthError('invalid_grant', UNKNOWN)
  return outcome
}

/** Returns undefined for a refusal. An error would roll back the revocation of a grant. */
async function rotate(
  tx: Transaction,
  app: App,
  { token, scope, resource: requested }: RefreshRequest,
  issueContext: IssueContext,
): Promise<IssuedTokens | 'other resource' | undefined> {
  const presented = await findRefreshToken(tx, token)
  if (presented?.appId !== app.id || !(await lockGrant(tx, presented.workspaceId, presented.grantId))) return undefined
  // A concurrent transaction may have used the token before this one got the lock.
  const current = await findRefreshToken(tx, token)
  if (current === undefined) return undefined
  if (current.isUsed) {
    const [actor, reason] = [{ type: 'app', id: app.id }, 'refresh token used again'] as const
    await revokeGrant(tx, current.workspaceId, current.grantId, { actor, reason, ...issueContext })
    return undefined
  }
  if (current.expiresAt <= issueContext.now) return undefined
  const resource = requested === undefined ? current.resource : narrowResource(current.resource, requested)
  if (resource === undefined) return 'other resource'
  await markRefreshTokenUsed(tx, token, issueContext.now)
  const granted = { ...current, scopes: requestedScopes(current.scopes, scope), resource }
  await removeExpired(tx, granted, issueContext.now)
  const actor = await actorOfGrant(tx, current, issueContext.actorType, app.id)
  return issueTokens(tx, app, granted, actor, issueContext.now)
}
