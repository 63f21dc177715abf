/**
 * The tokens of a grant: an access token that does not expire, or one that expires with a refresh token.
 * See docs/reference/access-and-oauth.md (Tokens, Token endpoint).
 */

import { lockMembers } from '#access/members/members'
import type { Sql, Transaction } from '#db/connect'
import { createActor, findActorNumber, getActorNumber } from '#access/members/actors'
import { hashColumn, newToken } from '#access/secrets'
import { hintOf, type TokenResource } from '#access/tokens/tokens'
import { controlQueriesIn, ofLiveWorkspace, equal, onEqual } from '#engine/data-model/kysely-in-transaction'
import { newId } from '#base/ids'
import type { Scope, TokenLevel } from '#vocabulary/scopes'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import type { App } from '#access/oauth/apps/apps'

/**
 * The type of the actors of apps. Older clients accept only `api-token`.
 * See docs/reference/access-and-oauth.md (Tokens, Actors).
 */
export type AppActor = 'app' | 'api-token'

/** The response to a client. */
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
  readonly resource: TokenResource
  readonly level: TokenLevel
}

const SECOND = 1_000_000
export const ACCESS_SECONDS = 3600
export const REFRESH_SECONDS = 60 * 24 * 3600

/**
 * An app without refresh tokens gets only an access token that does not expire.
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
  const accessToken = {
    access_token: await insertAccessToken(tx, app, granted, actor, { now, expires }),
    token_type: 'Bearer',
  } as const
  if (!app.uses_refresh_tokens) return accessToken
  return {
    ...accessToken,
    expires_in: ACCESS_SECONDS,
    refresh_token: await insertRefreshToken(tx, granted, now),
    scope: granted.scopes.join(' '),
  }
}

async function insertAccessToken(
  tx: Transaction,
  app: App,
  { workspaceId, grantId, memberId, scopes, resource, level }: Granted,
  actor: number,
  { now, expires }: { now: Micros; expires: Micros | null },
): Promise<string> {
  const token = newToken()
  await controlQueriesIn(tx)
    .insertInto('relata.tokens')
    .values({
      workspace_id: workspaceId,
      id: newId(),
      name: app.name,
      token_hash: hashColumn(token),
      hint: hintOf(token),
      scopes: [...scopes],
      client_id: app.id,
      grant_id: grantId,
      actor,
      authorized_by_workspace_member_id: memberId,
      created_at: timestampFromMicros(now),
      expires_at: expires === null ? null : timestampFromMicros(expires),
      resource,
      level,
    })
    .execute()
  return token
}

async function insertRefreshToken(tx: Transaction, { workspaceId, grantId }: Granted, now: Micros): Promise<string> {
  const token = newToken()
  await controlQueriesIn(tx)
    .insertInto('relata.refresh_tokens')
    .values({
      workspace_id: workspaceId,
      token_hash: hashColumn(token),
      grant_id: grantId,
      created_at: timestampFromMicros(now),
      expires_at: timestampFromMicros(now + REFRESH_SECONDS * SECOND),
    })
    .execute()
  return token
}

export interface RefreshToken {
  readonly workspaceId: string
  readonly grantId: string
  readonly appId: string
  readonly memberId: string
  readonly scopes: readonly Scope[]
  readonly resource: TokenResource
  readonly level: TokenLevel
  readonly expiresAt: Micros
  readonly isUsed: boolean
}

export async function findRefreshToken(
  connection: Sql | Transaction,
  token: string,
): Promise<RefreshToken | undefined> {
  const row = await controlQueriesIn(connection)
    .selectFrom('relata.refresh_tokens as r')
    .innerJoin('relata.grants as g', onEqual({ 'g.workspace_id': 'r.workspace_id', 'g.id': 'r.grant_id' }))
    .select([
      'r.workspace_id',
      'r.grant_id',
      'g.app_id',
      'g.workspace_member_id',
      'g.scopes',
      'g.resource',
      'g.level',
      'r.expires_at',
      'r.used_at',
    ])
    .where('r.token_hash', '=', hashColumn(token))
    .where(ofLiveWorkspace('r.workspace_id'))
    .$castTo<RefreshRow>()
    .executeTakeFirst()
  return (
    row && {
      workspaceId: row.workspace_id,
      grantId: row.grant_id,
      appId: row.app_id,
      memberId: row.workspace_member_id,
      scopes: row.scopes,
      resource: row.resource,
      level: row.level,
      expiresAt: microsFromPostgres(row.expires_at),
      isUsed: row.used_at !== null,
    }
  )
}

export async function markRefreshTokenUsed(tx: Transaction, token: string, now: Micros): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.refresh_tokens')
    .set({ used_at: timestampFromMicros(now) })
    .where('token_hash', '=', hashColumn(token))
    .execute()
}

/** Deletes the tokens of a grant that expired more than a day ago. */
export async function removeExpired(tx: Transaction, { workspaceId, grantId }: Granted, now: Micros): Promise<void> {
  const before = timestampFromMicros(now - 24 * 3600 * SECOND)
  for (const table of ['relata.tokens', 'relata.refresh_tokens'] as const) {
    await controlQueriesIn(tx)
      .deleteFrom(table)
      .where(equal({ workspace_id: workspaceId, grant_id: grantId }))
      .where('expires_at', '<', before)
      .execute()
  }
}

/**
 * Returns the actor of what a token writes: the member for whom it acts, or the one actor of the app in the workspace, which is
 * created when the app gets its first token there.
 */
export async function actorOfGrant(
  tx: Transaction,
  { workspaceId, memberId, level }: Pick<Granted, 'workspaceId' | 'memberId' | 'level'>,
  type: AppActor,
  appId: string,
): Promise<number> {
  if (level === 'user') return getActorNumber(tx, workspaceId, 'workspace-member', memberId)
  const existing = await findActorNumber(tx, workspaceId, type, appId)
  if (existing !== undefined) return existing
  // Of concurrent transactions, the first one creates the actor. The others wait here and then find it.
  await lockMembers(tx, workspaceId)
  return (await findActorNumber(tx, workspaceId, type, appId)) ?? createActor(tx, workspaceId, type, appId)
}

interface RefreshRow {
  workspace_id: string
  grant_id: string
  app_id: string
  workspace_member_id: string
  scopes: Scope[]
  resource: TokenResource
  level: TokenLevel
  expires_at: string
  used_at: string | null
}
