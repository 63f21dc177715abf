/**
 * Consent pages that were shown, each with its authorization request and bound to the session that saw it. The form of the
 * page contains only a token, so a client cannot change the request. A token works once.
 * See docs/reference/access-and-oauth.md (Consent).
 */

import { sql } from 'kysely'
import type { Sql, Transaction } from '#db/connect'
import { hashColumn, newSecret } from '#access/secrets'
import type { TokenResource } from '#access/tokens/tokens'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import type { Scope, TokenLevel } from '#vocabulary/scopes'
import { timestampFromMicros, type Micros } from '#base/timing/clock'
import type { AuthorizationRequest } from './authorization-request'
import { type ChallengeColumns, challengeFrom } from './codes'

export interface Consent extends Omit<AuthorizationRequest, 'app' | 'workspaceId'> {
  readonly appId: string
}

const MINUTE = 60_000_000
const VALID_MINUTES = 10

/** Returns the token of the page. */
export async function createConsent(
  connection: Sql,
  sessionId: string,
  { app, redirectUri, state, scopes, challenge, resource, level }: AuthorizationRequest,
  now: Micros,
): Promise<string> {
  const token = newSecret()
  const control = controlQueriesIn(connection)
  const created_at = timestampFromMicros(now)
  await control
    .deleteFrom('relata.consents')
    .where('token_hash', 'in', (expired) =>
      expired
        .selectFrom('relata.consents')
        .select('token_hash')
        .where('expires_at', '<', created_at)
        .limit(sql.lit(100))
        .forUpdate()
        .skipLocked(),
    )
    .execute()
  await control
    .insertInto('relata.consents')
    .values({
      token_hash: hashColumn(token),
      session_id: sessionId,
      app_id: app.id,
      redirect_uri: redirectUri,
      state: state ?? null,
      scopes: [...scopes],
      code_challenge: challenge?.challenge ?? null,
      code_challenge_method: challenge?.method ?? null,
      resource,
      level,
      created_at,
      expires_at: timestampFromMicros(now + VALID_MINUTES * MINUTE),
    })
    .execute()
  return token
}

/** Deletes a consent and returns it. Returns undefined after the first answer, when it expired, and in another session. */
export async function consumeConsent(
  tx: Transaction,
  sessionId: string,
  token: string,
  now: Micros,
): Promise<Consent | undefined> {
  const row = await controlQueriesIn(tx)
    .deleteFrom('relata.consents')
    .where(equal({ token_hash: hashColumn(token), session_id: sessionId }))
    .where('expires_at', '>', timestampFromMicros(now))
    .returning([
      'app_id',
      'redirect_uri',
      'state',
      'scopes',
      'code_challenge',
      'code_challenge_method',
      'resource',
      'level',
    ])
    .$castTo<ConsentRow>()
    .executeTakeFirst()
  return (
    row && {
      appId: row.app_id,
      redirectUri: row.redirect_uri,
      state: row.state ?? undefined,
      scopes: row.scopes,
      challenge: challengeFrom(row),
      resource: row.resource,
      level: row.level,
    }
  )
}

interface ConsentRow extends ChallengeColumns {
  app_id: string
  redirect_uri: string
  state: string | null
  scopes: Scope[]
  resource: TokenResource
  level: TokenLevel
}
