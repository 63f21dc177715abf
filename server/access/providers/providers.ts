/** The provider of a workspace. See docs/reference/sign-in.md (Provider). */

import type { SecretCipher, Sql, Transaction } from '#db/connect'
import { controlQueriesIn, ofLiveWorkspace } from '#engine/data-model/kysely-in-transaction'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import type { OpenIdProvider } from './openid-client'

interface ProviderTables {
  readonly sql: Sql | Transaction
  readonly secrets: SecretCipher
}

const rowOf = (workspaceId: string) => ({ table: 'sign_in_providers', key: [workspaceId] }) as const

export async function findProvider(
  { sql, secrets }: ProviderTables,
  workspaceId: string,
): Promise<OpenIdProvider | undefined> {
  const row = await controlQueriesIn(sql)
    .selectFrom('relata.sign_in_providers')
    .select(['name', 'issuer', 'client_id as clientId', 'client_secret as clientSecret'])
    .where('workspace_id', '=', workspaceId)
    .where(ofLiveWorkspace('workspace_id'))
    .executeTakeFirst()
  return row && { ...row, clientSecret: secrets.decrypt(rowOf(workspaceId), row.clientSecret) }
}

export async function saveProvider(
  { sql, secrets }: ProviderTables,
  workspaceId: string,
  { name, issuer, clientId, clientSecret }: OpenIdProvider,
  now: Micros,
): Promise<void> {
  const values = {
    name,
    issuer,
    client_id: clientId,
    client_secret: await secrets.encrypt(sql, rowOf(workspaceId), clientSecret),
    updated_at: timestampFromMicros(now),
  }
  await controlQueriesIn(sql)
    .insertInto('relata.sign_in_providers')
    .values({ workspace_id: workspaceId, ...values })
    .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet(values))
    .execute()
}

export async function deleteProvider(sql: Sql | Transaction, workspaceId: string): Promise<void> {
  await controlQueriesIn(sql).deleteFrom('relata.sign_in_providers').where('workspace_id', '=', workspaceId).execute()
}

export interface OfferedProvider {
  readonly workspace_id: string
  readonly name: string
  readonly workspace_name: string
}

/** Returns the provider of the workspace with this slug; without a slug, that of the only workspace of the installation. */
export async function findOfferedProvider(
  sql: Sql | Transaction,
  slug: string | undefined,
): Promise<OfferedProvider | undefined> {
  const rows = await controlQueriesIn(sql)
    .selectFrom('relata.workspaces as w')
    .leftJoin('relata.sign_in_providers as p', 'p.workspace_id', 'w.id')
    .select(['w.id as workspace_id', 'p.name', 'w.name as workspace_name'])
    .$if(slug !== undefined, (query) => query.where('w.slug', '=', slug ?? ''))
    .limit(2)
    .execute()
  const [only] = rows
  if (only === undefined || rows.length > 1 || only.name === null) return undefined
  return { ...only, name: only.name }
}
