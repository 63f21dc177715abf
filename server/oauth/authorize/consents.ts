/**
 * Consent pages as they were shown: what was asked, bound to the session that saw it, good for one answer. The form sends
 * back nothing but the token, so nothing of the question can be changed on the way.
 * See docs/reference/access-and-oauth.md (Consent).
 */

import type { Sql, Transaction } from '../../../db/connect'
import { hashSecret, newSecret } from '../../access/secrets'
import type { Scope } from '../../scopes'
import { timestampFromMicros, type Micros } from '../../timing/clock'
import type { AuthorizationRequest } from './authorization-request'
import { challengeFrom, type ChallengeColumns } from './codes'
import type { Challenge } from './pkce'

export interface Consent {
  readonly appId: string
  readonly redirectUri: string
  readonly state: string | undefined
  readonly scopes: readonly Scope[]
  readonly challenge: Challenge | null
}

const MINUTE = 60_000_000
const ANSWERED_WITHIN_MINUTES = 10

/** Gives the token of the page. */
export async function createConsent(
  sql: Sql,
  sessionId: string,
  { app, redirectUri, state, scopes, challenge }: AuthorizationRequest,
  now: Micros,
): Promise<string> {
  const token = newSecret()
  await sql`
    delete from relata.consents where token_hash in (
      select token_hash from relata.consents where expires_at < ${timestampFromMicros(now)}
      limit 100 for update skip locked)`
  await sql`
    insert into relata.consents
      (token_hash, session_id, app_id, redirect_uri, state, scopes, code_challenge, code_challenge_method, created_at,
       expires_at)
    values
      (decode(${hashSecret(token)}, 'hex'), ${sessionId}, ${app.id}, ${redirectUri}, ${state ?? null}, ${[...scopes]},
       ${challenge?.challenge ?? null}, ${challenge?.method ?? null}, ${timestampFromMicros(now)},
       ${timestampFromMicros(now + ANSWERED_WITHIN_MINUTES * MINUTE)})`
  return token
}

/** Only the first answer, in time and from the same session, finds what was asked. */
export async function consumeConsent(
  tx: Transaction,
  sessionId: string,
  token: string,
  now: Micros,
): Promise<Consent | undefined> {
  const [row] = await tx<[ConsentRow?]>`
    delete from relata.consents
    where token_hash = decode(${hashSecret(token)}, 'hex') and session_id = ${sessionId}
      and expires_at > ${timestampFromMicros(now)}
    returning app_id, redirect_uri, state, scopes, code_challenge, code_challenge_method`
  return (
    row && {
      appId: row.app_id,
      redirectUri: row.redirect_uri,
      state: row.state ?? undefined,
      scopes: row.scopes,
      challenge: challengeFrom(row),
    }
  )
}

interface ConsentRow extends ChallengeColumns {
  app_id: string
  redirect_uri: string
  state: string | null
  scopes: Scope[]
}
