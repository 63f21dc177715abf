/**
 * Grants: what one member allowed an app in one workspace, once. Every consent is a grant of its own; its tokens live and
 * end with it. Decision 0045.
 */

import type { Database, Sql, Transaction } from '../../../db/connect'
import { TOKENS_CHANNEL } from '../../access/tokens/tokens'
import { deleteWebhooksOf } from '../../webhooks/delete-webhooks'
import { newId } from '../../ids'
import type { Scope } from '../../scopes'
import { timestampFromMicros, type Micros } from '../../timing/clock'

export interface NewGrant {
  readonly workspaceId: string
  readonly appId: string
  readonly memberId: string
  readonly scopes: readonly Scope[]
}

/** A grant as an administrator sees it. */
export interface GrantRow {
  readonly id: string
  readonly app_id: string
  readonly app_name: string
  readonly developer_name: string | null
  readonly logo_url: string | null
  readonly workspace_member_id: string
  readonly scopes: Scope[]
  readonly created_at: string
  readonly last_used_at: string | null
}

export async function insertGrant(tx: Transaction, grant: NewGrant, now: Micros): Promise<string> {
  const id = newId()
  await tx`
    insert into relata.grants (workspace_id, id, app_id, workspace_member_id, scopes, created_at)
    values (${grant.workspaceId}, ${id}, ${grant.appId}, ${grant.memberId}, ${[...grant.scopes]}, ${timestampFromMicros(now)})`
  return id
}

/** The grants of a workspace that have not ended, the newest first. */
export const listGrants = (db: Database, workspaceId: string): Promise<GrantRow[]> =>
  db.sql<GrantRow[]>`
    select g.id, g.app_id, a.name as app_name, a.developer_name, a.logo_url, g.workspace_member_id, g.scopes, g.created_at,
      (select max(t.last_used_at) from relata.tokens t
       where t.workspace_id = g.workspace_id and t.grant_id = g.id) as last_used_at
    from relata.grants g join relata.apps a on a.id = g.app_id
    where g.workspace_id = ${workspaceId} and g.revoked_at is null
    order by g.created_at desc, g.id desc`

/** What an app has been granted in each of these workspaces by grants that have not ended. */
export async function grantedScopes(
  sql: Sql | Transaction,
  appId: string,
  workspaceIds: readonly string[],
): Promise<Map<string, Set<Scope>>> {
  const rows = await sql<{ workspace_id: string; scopes: Scope[] }[]>`
    select workspace_id, scopes from relata.grants
    where app_id = ${appId} and workspace_id = any(${[...workspaceIds]}::uuid[]) and revoked_at is null`
  const byWorkspace = Map.groupBy(rows, ({ workspace_id }) => workspace_id)
  return new Map([...byWorkspace].map(([id, granted]) => [id, new Set(granted.flatMap(({ scopes }) => scopes))]))
}

/**
 * Ends a grant and all its tokens, everywhere at once, and with the app's last grant here its webhooks. The app it was of; undefined when it had ended or never was.
 */
export async function revokeWithoutAudit(
  tx: Transaction,
  workspaceId: string,
  id: string,
  now: Micros,
): Promise<{ appId: string } | undefined> {
  const at = timestampFromMicros(now)
  const [ended] = await tx<[{ app_id: string }?]>`
    update relata.grants set revoked_at = ${at}
    where workspace_id = ${workspaceId} and id = ${id} and revoked_at is null
    returning app_id`
  if (ended === undefined) return undefined
  await tx`
    update relata.tokens set revoked_at = ${at}
    where workspace_id = ${workspaceId} and grant_id = ${id} and revoked_at is null
    returning pg_notify(${TOKENS_CHANNEL}, encode(token_hash, 'hex'))`
  await deleteWebhooksOf(tx, workspaceId, ended.app_id)
  await tx`delete from relata.refresh_tokens where workspace_id = ${workspaceId} and grant_id = ${id}`
  return { appId: ended.app_id }
}

/** Those of an app that have not ended, wherever it is installed. */
export const listActiveGrants = (tx: Transaction, appId: string): Promise<{ workspace_id: string; id: string }[]> =>
  tx<{ workspace_id: string; id: string }[]>`
    select workspace_id, id from relata.grants where app_id = ${appId} and revoked_at is null order by id`

/** Waits its turn at a grant; whether it is good still. */
export async function lockGrant(tx: Transaction, workspaceId: string, id: string): Promise<boolean> {
  const rows = await tx`
    select 1 from relata.grants where workspace_id = ${workspaceId} and id = ${id} and revoked_at is null
    for no key update`
  return rows.length > 0
}
