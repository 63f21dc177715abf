/**
 * Authorization codes. A code works once, for a minute, and is bound to app, redirect URI, challenge, workspace and member.
 * The row remains for a day after it expires, so that a second use of a code is detected.
 * See docs/reference/access-and-oauth.md (Authorization request, Token endpoint).
 */
import { sql } from 'kysely'
import { hashColumn, isSameSecret, newSecret } from '#access/secrets'
import type { TokenResource } from '#access/tokens/tokens'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import type { Transaction } from '#db/connect'
import { controlQueriesIn, ofLiveWorkspace } from '#engine/data-model/kysely-in-transaction'
import type { Scope, TokenLevel } from '#vocabulary/scopes'

interface NewCode {
  readonly workspaceId: string
  readonly appId: string
  readonly memberId: string
  readonly redirectUri: string
  readonly scopes: readonly Scope[]
  readonly challenge: Challenge | null
  readonly resource: TokenResource
  readonly level: TokenLevel
}

export interface Code extends NewCode {
  readonly expiresAt: Micros
  /** The grant that the code was exchanged for; null until then. */
  readonly grantId: string | null
}

const SECOND = 1_000_000
export const CODE_SECONDS = 60
const RETENTION_SECONDS = 24 * 3600

export async function issueCode(tx: Transaction, code: NewCode, now: Micros): Promise<string> {
  const text = newSecret()
  await removeOldCodes(tx, now)
  await controlQueriesIn(tx)
    .insertInto('relata.authorization_codes')
    .values({
      workspace_id: code.workspaceId,
      code_hash: hashColumn(text),
      app_id: code.appId,
      workspace_member_id: code.memberId,
      redirect_uri: code.redirectUri,
      scopes: [...code.scopes],
      code_challenge: code.challenge?.challenge ?? null,
      code_challenge_method: code.challenge?.method ?? null,
      resource: code.resource,
      level: code.level,
      created_at: timestampFromMicros(now),
      expires_at: timestampFromMicros(now + CODE_SECONDS * SECOND),
    })
    .execute()
  return text
}

/** Deletes some old codes, and skips those that a concurrent transaction deletes. */
async function removeOldCodes(tx: Transaction, now: Micros): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.authorization_codes')
    .where('code_hash', 'in', (old) =>
      old
        .selectFrom('relata.authorization_codes')
        .select('code_hash')
        .where('expires_at', '<', timestampFromMicros(now - RETENTION_SECONDS * SECOND))
        .limit(sql.lit(100))
        .forUpdate()
        .skipLocked(),
    )
    .execute()
}

/** Locks the code until the transaction ends, so that a concurrent exchange sees the result of this one. */
export async function lockCode(tx: Transaction, text: string): Promise<Code | undefined> {
  const row = await controlQueriesIn(tx)
    .selectFrom('relata.authorization_codes')
    .select(['workspace_id', 'app_id', 'workspace_member_id', 'redirect_uri', 'scopes'])
    .select(['code_challenge', 'code_challenge_method', 'expires_at', 'grant_id', 'resource', 'level'])
    .where('code_hash', '=', hashColumn(text))
    .where(ofLiveWorkspace('workspace_id'))
    .forUpdate()
    .$castTo<CodeRow>()
    .executeTakeFirst()
  return (
    row && {
      workspaceId: row.workspace_id,
      appId: row.app_id,
      memberId: row.workspace_member_id,
      redirectUri: row.redirect_uri,
      scopes: row.scopes,
      challenge: challengeFrom(row),
      resource: row.resource,
      level: row.level,
      expiresAt: microsFromPostgres(row.expires_at),
      grantId: row.grant_id,
    }
  )
}

export async function markCodeUsed(tx: Transaction, text: string, grantId: string, now: Micros): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.authorization_codes')
    .set({ used_at: timestampFromMicros(now), grant_id: grantId })
    .where('code_hash', '=', hashColumn(text))
    .execute()
}

/** The columns of a challenge, which are null together. */
export interface ChallengeColumns {
  code_challenge: string | null
  code_challenge_method: ChallengeMethod | null
}

export const challengeFrom = ({ code_challenge, code_challenge_method }: ChallengeColumns): Challenge | null =>
  code_challenge === null || code_challenge_method === null
    ? null
    : { challenge: code_challenge, method: code_challenge_method }

interface CodeRow extends ChallengeColumns {
  workspace_id: string
  app_id: string
  workspace_member_id: string
  redirect_uri: string
  scopes: Scope[]
  expires_at: string
  grant_id: string | null
  resource: TokenResource
  level: TokenLevel
}

type ChallengeMethod = 'S256' | 'plain'

/** What PKCE proves with: that a code is exchanged by the app that requested it. RFC 7636. */
export interface Challenge {
  readonly challenge: string
  readonly method: ChallengeMethod
}

const FORM = /^[A-Za-z0-9\-._~]{43,128}$/

/** Challenges and verifiers have the same form. */
export const isWellFormed = (text: string): boolean => FORM.test(text)

/**
 * Whether a verifier matches a challenge. Both must be present or both absent: a verifier without a challenge shows that an
 * attacker removed the challenge from the authorization request. RFC 9700, 2.1.1.
 */
export function matchesChallenge(challenge: Challenge | null, verifier: string | undefined): boolean {
  if (challenge === null || verifier === undefined) return challenge === null && verifier === undefined
  if (!isWellFormed(verifier)) return false
  const derived = challenge.method === 'S256' ? s256(verifier) : verifier
  return isSameSecret(derived, challenge.challenge)
}

export const s256 = (verifier: string): string => new Bun.CryptoHasher('sha256').update(verifier).digest('base64url')
