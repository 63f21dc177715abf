/**
 * Authorization codes: one short-lived use each, bound to app, redirect address, challenge, workspace and member. Kept for
 * a day after their end, so that one presented again is noticed.
 * See docs/reference/access-and-oauth.md (Token endpoint).
 */

import type { Transaction } from '../../../db/connect'
import { hashSecret, newSecret } from '../../access/secrets'
import type { Scope } from '../../scopes'
import { microsFromPostgres, timestampFromMicros, type Micros } from '../../timing/clock'
import type { Challenge, ChallengeMethod } from './pkce'

export interface NewCode {
  readonly workspaceId: string
  readonly appId: string
  readonly memberId: string
  readonly redirectUri: string
  readonly scopes: readonly Scope[]
  readonly challenge: Challenge | null
}

export interface Code extends NewCode {
  readonly expiresAt: Micros
  /** What it gave; null until it is used. */
  readonly grantId: string | null
}

const SECOND = 1_000_000
export const CODE_SECONDS = 60
const KEPT_SECONDS = 24 * 3600

export async function issueCode(tx: Transaction, code: NewCode, now: Micros): Promise<string> {
  const text = newSecret()
  await removeOldCodes(tx, now)
  await tx`
    insert into relata.authorization_codes
      (workspace_id, code_hash, app_id, workspace_member_id, redirect_uri, scopes, code_challenge,
       code_challenge_method, created_at, expires_at)
    values
      (${code.workspaceId}, decode(${hashSecret(text)}, 'hex'), ${code.appId}, ${code.memberId}, ${code.redirectUri},
       ${[...code.scopes]}, ${code.challenge?.challenge ?? null}, ${code.challenge?.method ?? null},
       ${timestampFromMicros(now)}, ${timestampFromMicros(now + CODE_SECONDS * SECOND)})`
  return text
}

/** A few at a time, without waiting for those who do the same. */
async function removeOldCodes(tx: Transaction, now: Micros): Promise<void> {
  await tx`
    delete from relata.authorization_codes where code_hash in (
      select code_hash from relata.authorization_codes
      where expires_at < ${timestampFromMicros(now - KEPT_SECONDS * SECOND)} limit 100 for update skip locked)`
}

/** Waits its turn at the code: of several who present one, each sees what the one before it did. */
export async function lockCode(tx: Transaction, text: string): Promise<Code | undefined> {
  const [row] = await tx<[CodeRow?]>`
    select workspace_id, app_id, workspace_member_id, redirect_uri, scopes, code_challenge, code_challenge_method,
      expires_at, grant_id
    from relata.authorization_codes where code_hash = decode(${hashSecret(text)}, 'hex') for update`
  return (
    row && {
      workspaceId: row.workspace_id,
      appId: row.app_id,
      memberId: row.workspace_member_id,
      redirectUri: row.redirect_uri,
      scopes: row.scopes,
      challenge: challengeFrom(row),
      expiresAt: microsFromPostgres(row.expires_at),
      grantId: row.grant_id,
    }
  )
}

export async function markCodeUsed(tx: Transaction, text: string, grantId: string, now: Micros): Promise<void> {
  await tx`
    update relata.authorization_codes set used_at = ${timestampFromMicros(now)}, grant_id = ${grantId}
    where code_hash = decode(${hashSecret(text)}, 'hex')`
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
}
