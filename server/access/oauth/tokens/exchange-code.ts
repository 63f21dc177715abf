/**
 * Exchanges an authorization code for tokens. The app must be the one that requested the code and must prove it by PKCE.
 * See docs/reference/access-and-oauth.md (Token endpoint).
 */

import type { Database, Transaction } from '#db/connect'
import { mayAuthorize, type TokenResource } from '#access/tokens/tokens'
import type { Role } from '#vocabulary/roles'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { audit } from '#access/audit-log/audit'
import { oauthError, otherResource } from '#base/errors/protocols'
import type { Micros } from '#base/timing/clock'
import { narrowResource } from '#access/oauth/metadata'
import { type App, lockExistingApp } from '#access/oauth/apps/apps'
import { type Code, lockCode, markCodeUsed, matchesChallenge } from '#access/oauth/authorize/codes'
import { insertGrant, revokeGrant, lockGrant } from './grants'
import {
  actorOfGrant,
  issueTokens,
  type AppActor,
  type IssuedTokens,
  findRefreshToken,
  markRefreshTokenUsed,
  removeExpired,
} from './tokens'
import { requestedScopes } from '#access/oauth/requested-scopes'

export interface CodeRequest {
  readonly code: string
  readonly redirectUri: string | undefined
  readonly verifier: string | undefined
  /** Undefined for that of the authorization request. */
  readonly resource: TokenResource | 'unknown' | undefined
}

/** What issuing a token needs besides the request. */
interface IssueContext {
  readonly actorType: AppActor
  readonly address: string | null
  readonly now: Micros
}

/** Throws `invalid_grant`, after the transaction that may have revoked a grant is committed. */
export async function exchangeCode(
  db: Database,
  app: App,
  request: CodeRequest,
  issueContext: IssueContext,
): Promise<IssuedTokens> {
  const outcome = await db.sql.begin((tx) => exchange(tx, app, request, issueContext))
  if (outcome === 'other resource') throw otherResource()
  if (typeof outcome === 'string') throw oauthError('invalid_grant', outcome)
  return outcome
}

const UNKNOWN = 'The code is unknown, used or expired.'

/** Returns the reason of a refusal. An error would roll back the revocation of a grant. */
async function exchange(
  tx: Transaction,
  app: App,
  { code: text, redirectUri, verifier, resource: requested }: CodeRequest,
  issueContext: IssueContext,
): Promise<IssuedTokens | string> {
  // The app is locked before the code, as when an app is deleted, so that the two never deadlock.
  if (!(await lockExistingApp(tx, app.id))) return UNKNOWN
  const code = await lockCode(tx, text)
  if (code?.appId !== app.id) return UNKNOWN
  if (code.grantId !== null) {
    // A second use shows that the code was stolen, so the grant of the first use is no longer safe. RFC 9700, 4.5.
    const [actor, reason] = [{ type: 'app', id: app.id }, 'code used again'] as const
    await revokeGrant(tx, code.workspaceId, code.grantId, { actor, reason, ...issueContext })
    return UNKNOWN
  }
  if (code.expiresAt <= issueContext.now || !(await mayStillAuthorize(tx, code))) return UNKNOWN
  if (redirectUri !== undefined && redirectUri !== code.redirectUri) {
    return 'redirect_uri is not the one that the code was requested with.'
  }
  if (!matchesChallenge(code.challenge, verifier)) return challengeProblem(code, verifier)
  const resource = requested === undefined ? code.resource : narrowResource(code.resource, requested)
  if (resource === undefined) return 'other resource'
  return issueGrant(tx, app, { ...code, resource }, text, issueContext)
}

/** Whether the member still has the role that the consent needed. */
async function mayStillAuthorize(tx: Transaction, { workspaceId, memberId, level }: Code): Promise<boolean> {
  const member = await controlQueriesIn(tx)
    .selectFrom('relata.workspace_members as m')
    .innerJoin('relata.workspaces as w', 'w.id', 'm.workspace_id')
    .select(['m.access_level as accessLevel', 'w.member_permissions as memberPermissions'])
    .where(equal({ 'm.workspace_id': workspaceId, 'm.id': memberId }))
    .$castTo<Role>()
    .executeTakeFirst()
  return member !== undefined && mayAuthorize(member, level)
}

function challengeProblem({ challenge }: Code, verifier: string | undefined): string {
  if (challenge === null) return 'code_verifier was sent, but the code was requested without a code_challenge.'
  return verifier === undefined ? 'code_verifier is missing.' : 'code_verifier does not match the code_challenge.'
}

async function issueGrant(
  tx: Transaction,
  app: App,
  code: Code,
  text: string,
  issueContext: IssueContext,
): Promise<IssuedTokens> {
  const { workspaceId, memberId, scopes, resource, level } = code
  const { now, address, actorType } = issueContext
  const grantId = await insertGrant(tx, code, now)
  await markCodeUsed(tx, text, grantId, now)
  const actor = await actorOfGrant(tx, code, actorType, app.id)
  await audit(tx, {
    workspaceId,
    actor: { type: 'app', id: app.id },
    action: 'grant.created',
    subject: { type: 'grant', id: grantId, name: app.name },
    details: { app_id: app.id, workspace_member_id: memberId, scopes, level, has_pkce: code.challenge !== null },
    address,
    now,
  })
  return issueTokens(tx, app, { workspaceId, memberId, scopes, resource, level, grantId }, actor, now)
}

// Issues a new access token for a refresh token, to apps that use refresh tokens. A refresh token works once and is replaced
// by the next one. A second use shows that it was stolen, so the grant is revoked. RFC 9700, 4.14;
// see docs/reference/access-and-oauth.md (Token endpoint).

const UNKNOWN_REFRESH_TOKEN = 'The refresh_token is unknown, used, revoked or expired.'

interface RefreshRequest {
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
  if (outcome === undefined) throw oauthError('invalid_grant', UNKNOWN_REFRESH_TOKEN)
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
