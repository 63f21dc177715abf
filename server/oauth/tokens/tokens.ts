/**
 * The tokens of a grant: one that is good until revoked, or one that expires and another that renews it.
 * See docs/reference/access-and-oauth.md (Tokens, Token endpoint).
 */

import type { Sql, Transaction } from '../../../db/connect'
import { createActor } from '../../access/members/actors'
import { hashSecret, newToken } from '../../access/secrets'
import { newId } from '../../ids'
import type { Scope } from '../../scopes'
import { microsFromPostgres, timestampFromMicros, type Micros } from '../../timing/clock'
import type { App } from '../apps/apps'

/**
 * As which kind of actor apps write; older clients know only `api-token`.
 * See docs/reference/access-and-oauth.md (Tokens, Actors).
 */
export type AppActor = 'app' | 'api-token'

/** What a client is answered. */
export interface IssuedTokens {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in?: number
  readonly refresh_token?: string
  readonly scope?: string
}

export interface Granted {
  readonly workspaceId: string
  readonly grantId: string
  readonly memberId: string
  readonly scopes: readonly Scope[]
}

const SECOND = 1_000_000
export const ACCESS_SECONDS = 3600
export const REFRESH_SECONDS = 60 * 24 * 3600

/**
 * Classic apps get a token that never expires and nothing else, as clients expect.
 * See docs/reference/access-and-oauth.md (Token endpoint).
 */
export async function issueTokens(
  tx: Transaction,
  app: App,
  granted: Granted,
  actor: number,
  now: Micros,
): Promise<IssuedTokens> {
  const expires = app.uses_refresh_tokens ? now + ACCESS_SECONDS * SECOND : null
  const classic = {
    access_token: await insertAccessToken(tx, app, granted, actor, { now, expires }),
    token_type: 'Bearer',
  } as const
  if (!app.uses_refresh_tokens) return classic
  return {
    ...classic,
    expires_in: ACCESS_SECONDS,
    refresh_token: await insertRefreshToken(tx, granted, now),
    scope: granted.scopes.join(' '),
  }
}

async function insertAccessToken(
  tx: Transaction,
  app: App,
  { workspaceId, grantId, memberId, scopes }: Granted,
  actor: number,
  { now, expires }: { now: Micros; expires: Micros | null },
): Promise<string> {
  const token = newToken()
  await tx`
    insert into relata.tokens
      (workspace_id, id, name, token_hash, hint, scopes, client_id, grant_id, actor, authorized_by_workspace_member_id,
       created_at, expires_at)
    values
      (${workspaceId}, ${newId()}, ${app.name}, decode(${hashSecret(token)}, 'hex'), ${token.slice(-4)},
       ${[...scopes]}, ${app.id}, ${grantId}, ${actor}, ${memberId}, ${timestampFromMicros(now)},
       ${expires === null ? null : timestampFromMicros(expires)})`
  return token
}

async function insertRefreshToken(tx: Transaction, { workspaceId, grantId }: Granted, now: Micros): Promise<string> {
  const token = newToken()
  await tx`
    insert into relata.refresh_tokens (workspace_id, token_hash, grant_id, created_at, expires_at)
    values (${workspaceId}, decode(${hashSecret(token)}, 'hex'), ${grantId}, ${timestampFromMicros(now)},
      ${timestampFromMicros(now + REFRESH_SECONDS * SECOND)})`
  return token
}

export interface RefreshToken {
  readonly workspaceId: string
  readonly grantId: string
  readonly appId: string
  readonly memberId: string
  readonly scopes: readonly Scope[]
  readonly expiresAt: Micros
  readonly isUsed: boolean
}

export async function findRefreshToken(sql: Sql | Transaction, token: string): Promise<RefreshToken | undefined> {
  const [row] = await sql<[RefreshRow?]>`
    select r.workspace_id, r.grant_id, g.app_id, g.workspace_member_id, g.scopes, r.expires_at, r.used_at
    from relata.refresh_tokens r join relata.grants g on g.workspace_id = r.workspace_id and g.id = r.grant_id
    where r.token_hash = decode(${hashSecret(token)}, 'hex')`
  return (
    row && {
      workspaceId: row.workspace_id,
      grantId: row.grant_id,
      appId: row.app_id,
      memberId: row.workspace_member_id,
      scopes: row.scopes,
      expiresAt: microsFromPostgres(row.expires_at),
      isUsed: row.used_at !== null,
    }
  )
}

export async function markRefreshTokenUsed(tx: Transaction, token: string, now: Micros): Promise<void> {
  await tx`
    update relata.refresh_tokens set used_at = ${timestampFromMicros(now)}
    where token_hash = decode(${hashSecret(token)}, 'hex')`
}

/** What expired a day ago and more is of no use to anybody. */
export async function removeExpired(tx: Transaction, { workspaceId, grantId }: Granted, now: Micros): Promise<void> {
  const before = timestampFromMicros(now - 24 * 3600 * SECOND)
  await tx`
    delete from relata.tokens
    where workspace_id = ${workspaceId} and grant_id = ${grantId} and expires_at < ${before}`
  await tx`
    delete from relata.refresh_tokens
    where workspace_id = ${workspaceId} and grant_id = ${grantId} and expires_at < ${before}`
}

/** The one actor that stands for an app in a workspace, made when the app first gets a token there. */
export async function actorOfApp(tx: Transaction, workspaceId: string, type: AppActor, appId: string): Promise<number> {
  const known = await findActor(tx, workspaceId, type, appId)
  if (known !== undefined) return known
  // Whoever came first made it; the others have waited here.
  await tx`select 1 from relata.workspaces where id = ${workspaceId} for no key update`
  return (await findActor(tx, workspaceId, type, appId)) ?? createActor(tx, workspaceId, type, appId)
}

async function findActor(
  tx: Transaction,
  workspaceId: string,
  type: AppActor,
  id: string,
): Promise<number | undefined> {
  const [actor] = await tx<[{ number: number }?]>`
    select number from relata.actors where workspace_id = ${workspaceId} and type = ${type} and id = ${id}`
  return actor?.number
}

interface RefreshRow {
  workspace_id: string
  grant_id: string
  app_id: string
  workspace_member_id: string
  scopes: Scope[]
  expires_at: string
  used_at: string | null
}
