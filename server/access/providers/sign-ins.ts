/** What the database knows of sign-ins at a provider: the accounts of its users, and the sign-ins that have not returned. */

import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { newId } from '#base/ids'
import { timestampFromMicros, type Micros } from '#base/timing/clock'
import { hashColumn } from '#access/secrets'
import type { RequestSecrets } from './openid-client'

// Which account a subject of a provider is. The first sign-in links them; later ones do not depend on the email address.

/** A user of a provider. The same subject at the providers of two workspaces is two identities. */
export interface ProviderIdentity {
  /** Null for the provider of the installation. */
  readonly workspaceId: string | null
  readonly issuer: string
  readonly subject: string
}

export async function findLinkedAccount(
  sql: Sql | Transaction,
  { workspaceId, issuer, subject }: ProviderIdentity,
): Promise<string | undefined> {
  const row = await controlQueriesIn(sql)
    .selectFrom('relata.provider_identities')
    .select('account_id')
    .where('workspace_id', workspaceId === null ? 'is' : '=', workspaceId)
    .where(equal({ issuer, subject }))
    .executeTakeFirst()
  return row?.account_id
}

/** The first of concurrent sign-ins links the account. */
export async function linkIdentity(
  sql: Sql | Transaction,
  { workspaceId, issuer, subject }: ProviderIdentity,
  accountId: string,
  now: Micros,
): Promise<void> {
  await controlQueriesIn(sql)
    .insertInto('relata.provider_identities')
    .values({
      id: newId(),
      workspace_id: workspaceId,
      issuer,
      subject,
      account_id: accountId,
      created_at: timestampFromMicros(now),
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'issuer', 'subject']).doNothing())
    .execute()
}

/** For a provider that was removed or replaced, whose subjects mean nothing to the next one. */
export async function unlinkIdentities(sql: Sql | Transaction, workspaceId: string): Promise<void> {
  await controlQueriesIn(sql).deleteFrom('relata.provider_identities').where('workspace_id', '=', workspaceId).execute()
}

// Sign-ins at a provider that have not returned. A state works once, within fifteen minutes, in the browser that began.

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
