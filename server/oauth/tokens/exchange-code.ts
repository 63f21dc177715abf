/**
 * A code made into a token: once, by the app it was given to, with the proof it was asked for with.
 * See docs/reference/access-and-oauth.md (Token endpoint).
 */

import type { Database, Transaction } from '../../../db/connect'
import { audit } from '../../access/audit-log/audit'
import { oauthError } from '../../errors/errors'
import type { Micros } from '../../timing/clock'
import type { App } from '../apps/apps'
import { lockCode, markCodeUsed, type Code } from '../authorize/codes'
import { insertGrant } from './grants'
import { matchesChallenge } from '../authorize/pkce'
import { revokeGrant } from './revoke-grant'
import { actorOfApp, issueTokens, type AppActor, type IssuedTokens } from './tokens'

export interface CodeRequest {
  readonly code: string
  readonly redirectUri: string | undefined
  readonly verifier: string | undefined
}

/** How and when a token is asked for. */
export interface IssueContext {
  readonly actorType: AppActor
  readonly address: string | null
  readonly now: Micros
}

/** Throws `invalid_grant`, after what a refusal may change is kept. */
export async function exchangeCode(
  db: Database,
  app: App,
  request: CodeRequest,
  issueContext: IssueContext,
): Promise<IssuedTokens> {
  const outcome = await db.sql.begin((tx) => exchange(tx, app, request, issueContext))
  if (typeof outcome === 'string') throw oauthError('invalid_grant', outcome)
  return outcome
}

const UNKNOWN = 'The code is unknown, used or expired.'

/** Returns the reason of a refusal, since what is thrown here would undo the end of a grant. */
async function exchange(
  tx: Transaction,
  app: App,
  { code: text, redirectUri, verifier }: CodeRequest,
  issueContext: IssueContext,
): Promise<IssuedTokens | string> {
  // First the app, then the code: so does who removes an app, and neither waits for the other.
  if (!(await lockExistingApp(tx, app.id))) return UNKNOWN
  const code = await lockCode(tx, text)
  if (code?.appId !== app.id) return UNKNOWN
  if (code.grantId !== null) {
    // Whoever presents a code a second time did not get it from us: what it gave is no longer safe. RFC 9700, 4.5.
    const [actor, reason] = [{ type: 'app', id: app.id }, 'code used again'] as const
    await revokeGrant(tx, code.workspaceId, code.grantId, { actor, reason, ...issueContext })
    return UNKNOWN
  }
  if (code.expiresAt <= issueContext.now || (await isNoLongerAdmin(tx, code))) return UNKNOWN
  if (redirectUri !== undefined && redirectUri !== code.redirectUri) {
    return 'redirect_uri is not the one the code was asked for with.'
  }
  if (!matchesChallenge(code.challenge, verifier)) return challengeProblem(code, verifier)
  return issueGrant(tx, app, code, text, issueContext)
}

const lockExistingApp = async (tx: Transaction, appId: string): Promise<boolean> =>
  (await tx`select 1 from relata.apps where id = ${appId} for key share`).length > 0

/** Suspended since the consent. */
async function isNoLongerAdmin(tx: Transaction, { workspaceId, memberId }: Code): Promise<boolean> {
  const rows = await tx`
    select 1 from relata.workspace_members
    where workspace_id = ${workspaceId} and id = ${memberId} and access_level = 'admin'`
  return rows.length === 0
}

function challengeProblem({ challenge }: Code, verifier: string | undefined): string {
  if (challenge === null) return 'code_verifier was sent, but the code was asked for without a code_challenge.'
  return verifier === undefined
    ? 'code_verifier is missing.'
    : 'code_verifier is not the one behind the code_challenge.'
}

async function issueGrant(
  tx: Transaction,
  app: App,
  code: Code,
  text: string,
  issueContext: IssueContext,
): Promise<IssuedTokens> {
  const { workspaceId, memberId, scopes } = code
  const { now, address, actorType } = issueContext
  const grantId = await insertGrant(tx, code, now)
  await markCodeUsed(tx, text, grantId, now)
  const actor = await actorOfApp(tx, workspaceId, actorType, app.id)
  await audit(tx, {
    workspaceId,
    actor: { type: 'app', id: app.id },
    action: 'grant.created',
    subject: { type: 'grant', id: grantId, name: app.name },
    details: { app_id: app.id, workspace_member_id: memberId, scopes, has_pkce: code.challenge !== null },
    address,
    now,
  })
  return issueTokens(tx, app, { workspaceId, memberId, scopes, grantId }, actor, now)
}
