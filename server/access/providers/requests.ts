/** Sign-ins at a provider that have not returned. A state works once, within fifteen minutes, in the browser that began. */

import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { timestampFromMicros, type Micros } from '#base/timing/clock'
import { hashColumn } from '#access/secrets'
import type { RequestSecrets } from './openid-client'

const REQUEST_MICROS = 900_000_000

export interface ProviderRequest extends RequestSecrets {
  /** The secret in a cookie of the browser. */
  readonly browserToken: string
  /** Null for the provider of the installation. */
  readonly workspaceId: string | null
  readonly issuer: string
  readonly clientId: string
}

export async function createProviderRequest(
  sql: Sql | Transaction,
  { state, browserToken, workspaceId, issuer, clientId, nonce, codeVerifier }: ProviderRequest,
  now: Micros,
): Promise<void> {
  const control = controlQueriesIn(sql)
  await control.deleteFrom('relata.provider_requests').where('expires_at', '<=', timestampFromMicros(now)).execute()
  await control
    .insertInto('relata.provider_requests')
    .values({
      state_hash: hashColumn(state),
      browser_hash: hashColumn(browserToken),
      workspace_id: workspaceId,
      issuer,
      client_id: clientId,
      nonce,
      code_verifier: codeVerifier,
      expires_at: timestampFromMicros(now + REQUEST_MICROS),
    })
    .execute()
}

/** Deletes and returns the request. Undefined when it was used, has expired, or began in another browser. */
export async function useProviderRequest(
  sql: Sql | Transaction,
  { state, browserToken }: Pick<ProviderRequest, 'state' | 'browserToken'>,
  now: Micros,
): Promise<ProviderRequest | undefined> {
  const row = await controlQueriesIn(sql)
    .deleteFrom('relata.provider_requests')
    .where(equal({ state_hash: hashColumn(state), browser_hash: hashColumn(browserToken) }))
    .where('expires_at', '>', timestampFromMicros(now))
    .returning(['workspace_id', 'issuer', 'client_id', 'nonce', 'code_verifier'])
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { workspace_id: workspaceId, issuer, client_id: clientId, nonce, code_verifier: codeVerifier } = row
  return { state, browserToken, workspaceId, issuer, clientId, nonce, codeVerifier }
}
