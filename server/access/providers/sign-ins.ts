/** Which account a subject of a provider is. The first sign-in links them; later ones do not depend on the email address. */

import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { newId } from '#base/ids'
import { timestampFromMicros, type Micros } from '#base/timing/clock'

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
