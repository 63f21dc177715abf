/**
 * Apps: who may ask for access, where they are answered, and what they may be granted.
 * See docs/reference/access-and-oauth.md (Apps).
 */

import type { Database, Sql, Transaction } from '../../../db/connect'
import { isUuid } from '../../attribute-types/formats/uuids'
import { appNotFound } from '../../errors/errors'
import { newId } from '../../ids'
import type { Scope } from '../../scopes'
import { timestampFromMicros, type Micros } from '../../timing/clock'

export interface App {
  /** Also its client_id. */
  readonly id: string
  /** The workspace that owns it. */
  readonly workspace_id: string
  readonly name: string
  readonly description: string | null
  readonly developer_name: string | null
  readonly website_url: string | null
  readonly logo_url: string | null
  /** Has no secret, and must use PKCE. */
  readonly is_public: boolean
  /** May be installed in other workspaces than its own. */
  readonly is_published: boolean
  readonly redirect_uris: readonly string[]
  readonly scopes: readonly Scope[]
  readonly allows_plain_pkce: boolean
  readonly uses_refresh_tokens: boolean
  readonly created_at: string
}

export type AppDetails = Omit<App, 'id' | 'workspace_id' | 'created_at'>

/** By its client_id, whatever workspace owns it. Text that is no id names no app. */
export async function findApp(sql: Sql | Transaction, clientId: string): Promise<App | undefined> {
  if (!isUuid(clientId)) return undefined
  const [app] = await sql<[App?]>`select * from relata.apps where id = ${clientId}`
  return app
}

export async function getApp(sql: Sql | Transaction, workspaceId: string, id: string): Promise<App> {
  const app = await findApp(sql, id)
  if (app?.workspace_id !== workspaceId) throw appNotFound(id)
  return app
}

/** In the order of their making. */
export const listApps = (db: Database, workspaceId: string): Promise<App[]> =>
  db.sql<App[]>`select * from relata.apps where workspace_id = ${workspaceId} order by created_at, id`

export async function insertApp(tx: Transaction, workspaceId: string, app: AppDetails, now: Micros): Promise<App> {
  const [row] = await tx<[App]>`
    insert into relata.apps
      (id, workspace_id, name, description, developer_name, website_url, logo_url, is_public, is_published,
       redirect_uris, scopes, allows_plain_pkce, uses_refresh_tokens, created_at)
    values
      (${newId()}, ${workspaceId}, ${app.name}, ${app.description}, ${app.developer_name},
       ${app.website_url}, ${app.logo_url}, ${app.is_public}, ${app.is_published}, ${[...app.redirect_uris]},
       ${[...app.scopes]}, ${app.allows_plain_pkce}, ${app.uses_refresh_tokens}, ${timestampFromMicros(now)})
    returning *`
  return row
}

/** Waits its turn at an app, which nobody else then changes, removes or gets tokens of. */
export async function lockApp(tx: Transaction, id: string): Promise<void> {
  await tx`select 1 from relata.apps where id = ${id} for update`
}

export async function updateAppRow(tx: Transaction, { id, workspace_id, ...app }: App): Promise<void> {
  await tx`
    update relata.apps set
      name = ${app.name}, description = ${app.description}, developer_name = ${app.developer_name},
      website_url = ${app.website_url}, logo_url = ${app.logo_url}, is_published = ${app.is_published},
      redirect_uris = ${[...app.redirect_uris]}, scopes = ${[...app.scopes]},
      allows_plain_pkce = ${app.allows_plain_pkce}, uses_refresh_tokens = ${app.uses_refresh_tokens}
    where workspace_id = ${workspace_id} and id = ${id}`
}

export async function deleteAppRow(tx: Transaction, { id, workspace_id }: App): Promise<void> {
  await tx`delete from relata.apps where workspace_id = ${workspace_id} and id = ${id}`
}
