/**
 * Apps: the clients of OAuth, with their redirect URIs, their secrets and the scopes that they can be granted.
 * See docs/reference/access-and-oauth.md (Apps, Secrets and the audit log).
 */
import { sql } from 'kysely'
import { hashColumn, newToken } from '#access/secrets'
import { hintOf } from '#access/tokens/tokens'
import { invalidRequest } from '#base/errors/http'
import { appNotFound } from '#base/errors/protocols'
import { newId } from '#base/ids'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import type { Database, Sql, Transaction } from '#db/connect'
import { controlQueriesIn, equal, hasRow, ofLiveWorkspace } from '#engine/data-model/kysely-in-transaction'
import type { Scope } from '#vocabulary/scopes'
import { isUuid } from '#vocabulary/uuids'

export interface App {
  /** This is also the client_id. */
  readonly id: string
  /** The workspace that owns it; null for a client that registered itself. */
  readonly workspace_id: string | null
  readonly name: string
  readonly description: string | null
  readonly developer_name: string | null
  readonly website_url: string | null
  readonly logo_url: string | null
  /** A public app has no secret and must use PKCE. */
  readonly is_public: boolean
  /** A published app can be installed in workspaces other than its own. */
  readonly is_published: boolean
  readonly redirect_uris: readonly string[]
  readonly scopes: readonly Scope[]
  readonly allows_plain_pkce: boolean
  readonly uses_refresh_tokens: boolean
  readonly created_at: string
}

export type AppDetails = Omit<App, 'id' | 'workspace_id' | 'created_at'>

/** Finds an app of any live workspace by its client_id. Returns undefined for text that is not an id. */
export async function findApp(connection: Sql | Transaction, clientId: string): Promise<App | undefined> {
  if (!isUuid(clientId)) return undefined
  return controlQueriesIn(connection)
    .selectFrom('relata.apps')
    .selectAll()
    .where('id', '=', clientId)
    .where(({ eb, or }) => or([eb('workspace_id', 'is', null), ofLiveWorkspace('workspace_id')]))
    .$castTo<App>()
    .executeTakeFirst()
}

export async function getApp(connection: Sql | Transaction, workspaceId: string, id: string): Promise<App> {
  const app = await findApp(connection, id)
  if (app?.workspace_id !== workspaceId) throw appNotFound(id)
  return app
}

/** Returns the apps in the order of their creation. */
export const listApps = ({ control }: Database, workspaceId: string): Promise<App[]> =>
  control
    .selectFrom('relata.apps')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('created_at')
    .orderBy('id')
    .$castTo<App>()
    .execute()

export const insertApp = (tx: Transaction, workspaceId: string | null, app: AppDetails, now: Micros): Promise<App> =>
  controlQueriesIn(tx)
    .insertInto('relata.apps')
    .values({ id: newId(), workspace_id: workspaceId, ...columnsOf(app), created_at: timestampFromMicros(now) })
    .returningAll()
    .$castTo<App>()
    .executeTakeFirstOrThrow()

/** Locks an app until the transaction ends, so that no other transaction changes it, deletes it or issues its tokens. */
export async function lockApp(tx: Transaction, id: string): Promise<void> {
  await controlQueriesIn(tx).selectFrom('relata.apps').select('id').where('id', '=', id).forUpdate().execute()
}

/** Keeps the app from being deleted until the transaction ends. Returns false when the app does not exist. */
export function lockExistingApp(tx: Transaction, id: string): Promise<boolean> {
  return hasRow(controlQueriesIn(tx).selectFrom('relata.apps').select('id').where('id', '=', id).forKeyShare())
}

export async function updateAppRow(
  tx: Transaction,
  { id, workspace_id, created_at: _, ...details }: App,
): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.apps')
    .set(columnsOf(details))
    .where('workspace_id', 'is not distinct from', workspace_id)
    .where('id', '=', id)
    .execute()
}

export async function deleteAppRow(tx: Transaction, { id, workspace_id }: App): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.apps')
    .where('workspace_id', 'is not distinct from', workspace_id)
    .where('id', '=', id)
    .execute()
}

const columnsOf = (details: AppDetails) => ({
  name: details.name,
  description: details.description,
  developer_name: details.developer_name,
  website_url: details.website_url,
  logo_url: details.logo_url,
  is_public: details.is_public,
  is_published: details.is_published,
  redirect_uris: [...details.redirect_uris],
  scopes: [...details.scopes],
  allows_plain_pkce: details.allows_plain_pkce,
  uses_refresh_tokens: details.uses_refresh_tokens,
})

/**
 * An unpublished app can be installed only in the workspace that owns it.
 * See docs/reference/access-and-oauth.md (Apps, Consent).
 */
export const canBeInstalledIn = (app: App, workspaceId: string): boolean =>
  app.is_published || app.workspace_id === workspaceId

/** A secret of an app is shown once; the database has its hash. An app has two at most, so that one can replace the other. */
export interface AppSecret {
  readonly id: string
  readonly app_id: string
  readonly hint: string
  readonly created_at: string
  readonly last_used_at: string | null
}

/** A secret with its hash in hex, for authentication. */
export interface SecretHash {
  readonly id: string
  readonly hash: string
}

const MAX_SECRETS = 2
const USE_RECORDED_EVERY = 60_000_000

/** Locks the app, so that concurrent requests cannot exceed the limit. */
export async function insertSecret(
  tx: Transaction,
  appId: string,
  now: Micros,
): Promise<{ id: string; secret: string }> {
  await lockApp(tx, appId)
  const existing = await listSecrets(tx, [appId])
  if (existing.length >= MAX_SECRETS) {
    throw invalidRequest(`An app has at most ${MAX_SECRETS} secrets; delete one that is no longer used.`)
  }
  const [id, secret] = [newId(), newToken()]
  await controlQueriesIn(tx)
    .insertInto('relata.app_secrets')
    .values({
      app_id: appId,
      id,
      secret_hash: hashColumn(secret),
      hint: hintOf(secret),
      created_at: timestampFromMicros(now),
    })
    .execute()
  return { id, secret }
}

/** Returns the secrets of these apps in the order of their creation. */
export const listSecrets = (connection: Sql | Transaction, appIds: readonly string[]): Promise<AppSecret[]> =>
  controlQueriesIn(connection)
    .selectFrom('relata.app_secrets')
    .select(['id', 'app_id', 'hint', 'created_at', 'last_used_at'])
    .where(sql<boolean>`app_id = any(${[...appIds]}::uuid[])`)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

export const findSecretHashes = ({ control }: Database, appId: string): Promise<SecretHash[]> =>
  control
    .selectFrom('relata.app_secrets')
    .select(['id', sql<string>`encode(secret_hash, 'hex')`.as('hash')])
    .where('app_id', '=', appId)
    .execute()

/** Returns false when the app has no such secret. */
export async function deleteSecretRow(tx: Transaction, appId: string, id: string): Promise<boolean> {
  if (!isUuid(id)) return false
  const { numDeletedRows } = await controlQueriesIn(tx)
    .deleteFrom('relata.app_secrets')
    .where(equal({ app_id: appId, id }))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Stores when a secret was last used, so that people see which secrets they can delete. */
export async function recordSecretUse({ control }: Database, appId: string, id: string, now: Micros): Promise<void> {
  const before = timestampFromMicros(now - USE_RECORDED_EVERY)
  await control
    .updateTable('relata.app_secrets')
    .set({ last_used_at: timestampFromMicros(now) })
    .where(equal({ app_id: appId, id }))
    .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<', before)]))
    .execute()
}
