/**
 * Grants: the scopes that one member allowed an app in one workspace. Each consent creates a grant. Revoking a grant revokes
 * its tokens. See docs/decisions/oauth.md.
 */

import { sql } from 'kysely'
import type { Database, Sql, Transaction } from '#db/connect'
import { notifyTokenChange, type TokenResource } from '#access/tokens/tokens'
import { controlQueriesIn, hasRow, equal } from '#engine/data-model/kysely-in-transaction'
import { deleteWebhooksOf } from '#events/webhooks/delete-webhooks'
import { newId } from '#base/ids'
import type { Scope, TokenLevel } from '#vocabulary/scopes'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { audit, type AuditActor } from '#access/audit-log/audit'
import { hashColumn } from '#access/secrets'
import type { App } from '#access/oauth/apps/apps'
import { findRefreshToken } from './tokens'

interface NewGrant {
  readonly workspaceId: string
  readonly appId: string
  readonly memberId: string
  readonly scopes: readonly Scope[]
  readonly resource: TokenResource
  readonly level: TokenLevel
}

/** A grant as an admin sees it. */
export interface GrantRow {
  readonly id: string
  readonly app_id: string
  readonly app_name: string
  readonly developer_name: string | null
  readonly logo_url: string | null
  readonly workspace_member_id: string
  readonly scopes: Scope[]
  readonly resource: TokenResource
  readonly level: TokenLevel
  readonly created_at: string
  readonly last_used_at: string | null
}

export async function insertGrant(tx: Transaction, grant: NewGrant, now: Micros): Promise<string> {
  const id = newId()
  await controlQueriesIn(tx)
    .insertInto('relata.grants')
    .values({
      workspace_id: grant.workspaceId,
      id,
      app_id: grant.appId,
      workspace_member_id: grant.memberId,
      scopes: [...grant.scopes],
      resource: grant.resource,
      level: grant.level,
      created_at: timestampFromMicros(now),
    })
    .execute()
  return id
}

/** Returns the valid grants of a workspace, newest first. With `ofMember`, only those that act for this member. */
export const listGrants = ({ control }: Database, workspaceId: string, ofMember?: string): Promise<GrantRow[]> =>
  control
    .selectFrom('relata.grants as g')
    .innerJoin('relata.apps as a', 'a.id', 'g.app_id')
    .select(['g.id', 'g.app_id', 'a.name as app_name', 'a.developer_name', 'a.logo_url'])
    .select(['g.workspace_member_id', 'g.scopes', 'g.resource', 'g.level', 'g.created_at'])
    .select((grant) =>
      grant
        .selectFrom('relata.tokens as t')
        .select(({ fn }) => fn.max('t.last_used_at').as('last_used_at'))
        .whereRef('t.workspace_id', '=', 'g.workspace_id')
        .whereRef('t.grant_id', '=', 'g.id')
        .as('last_used_at'),
    )
    .where('g.workspace_id', '=', workspaceId)
    .where('g.revoked_at', 'is', null)
    .$if(ofMember !== undefined, (query) =>
      query.where('g.level', '=', 'user').where('g.workspace_member_id', '=', ofMember ?? ''),
    )
    .orderBy('g.created_at', 'desc')
    .orderBy('g.id', 'desc')
    .$castTo<GrantRow>()
    .execute()

const validGrantsOf = (connection: Sql | Transaction, appId: string, workspaceIds: readonly string[]) =>
  controlQueriesIn(connection)
    .selectFrom('relata.grants')
    .where('app_id', '=', appId)
    .where(sql<boolean>`workspace_id = any(${[...workspaceIds]}::uuid[])`)
    .where('revoked_at', 'is', null)

/** Whether an app has a valid grant in one of these workspaces. */
export const hasGrant = async (
  connection: Sql | Transaction,
  appId: string,
  workspaceIds: readonly string[],
): Promise<boolean> =>
  (await validGrantsOf(connection, appId, workspaceIds).select('id').limit(1).executeTakeFirst()) !== undefined

/** The members of workspaces: a person is another member in each. */
interface Grantee {
  readonly workspaceIds: readonly string[]
  readonly memberIds: readonly string[]
  readonly level: TokenLevel
}

/**
 * Returns the scopes that valid grants of a level give an app in each of these workspaces. Of grants that act for a member, only
 * those of these members count.
 */
export async function grantedScopes(
  connection: Sql | Transaction,
  appId: string,
  { workspaceIds, memberIds, level }: Grantee,
): Promise<Map<string, Set<Scope>>> {
  const rows = await validGrantsOf(connection, appId, workspaceIds)
    .select(['workspace_id', 'scopes'])
    .where('level', '=', level)
    .$if(level === 'user', (query) => query.where(sql<boolean>`workspace_member_id = any(${[...memberIds]}::uuid[])`))
    .$castTo<{ workspace_id: string; scopes: Scope[] }>()
    .execute()
  const byWorkspace = Map.groupBy(rows, ({ workspace_id }) => workspace_id)
  return new Map([...byWorkspace].map(([id, granted]) => [id, new Set(granted.flatMap(({ scopes }) => scopes))]))
}

/**
 * Revokes a grant and its tokens in all processes. With the app's last grant in the workspace, deletes the app's webhooks.
 * Returns the app of the grant, or undefined when there is no such valid grant.
 */
export async function revokeWithoutAudit(
  tx: Transaction,
  workspaceId: string,
  id: string,
  now: Micros,
): Promise<{ appId: string } | undefined> {
  const control = controlQueriesIn(tx)
  const revoked_at = timestampFromMicros(now)
  const revoked = await control
    .updateTable('relata.grants')
    .set({ revoked_at })
    .where(equal({ workspace_id: workspaceId, id }))
    .where('revoked_at', 'is', null)
    .returning('app_id')
    .executeTakeFirst()
  if (revoked === undefined) return undefined
  await control
    .updateTable('relata.tokens')
    .set({ revoked_at })
    .where(equal({ workspace_id: workspaceId, grant_id: id }))
    .where('revoked_at', 'is', null)
    .returning(notifyTokenChange.as('notified'))
    .execute()
  await deleteWebhooksOf(tx, workspaceId, revoked.app_id)
  await control
    .deleteFrom('relata.refresh_tokens')
    .where(equal({ workspace_id: workspaceId, grant_id: id }))
    .execute()
  return { appId: revoked.app_id }
}

/** Whether a grant acts for the member. */
export function isGrantOf(tx: Transaction, workspaceId: string, id: string, memberId: string): Promise<boolean> {
  return hasRow(
    controlQueriesIn(tx)
      .selectFrom('relata.grants')
      .select('id')
      .where(equal({ workspace_id: workspaceId, id, level: 'user' }))
      .where('workspace_member_id', '=', memberId),
  )
}

/** Returns the valid grants of an app in all workspaces. */
export const listActiveGrants = (tx: Transaction, appId: string): Promise<{ workspace_id: string; id: string }[]> =>
  controlQueriesIn(tx)
    .selectFrom('relata.grants')
    .select(['workspace_id', 'id'])
    .where('app_id', '=', appId)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .execute()

/** Locks a grant until the transaction ends. Returns false when there is no such valid grant. */
export function lockGrant(tx: Transaction, workspaceId: string, id: string): Promise<boolean> {
  return hasRow(
    controlQueriesIn(tx)
      .selectFrom('relata.grants')
      .select('id')
      .where(equal({ workspace_id: workspaceId, id }))
      .where('revoked_at', 'is', null)
      .forNoKeyUpdate(),
  )
}

/** Revokes a grant and appends the revocation to the audit log. */
interface GrantRevocation extends AuditActor {
  readonly reason:
    | 'code used again'
    | 'refresh token used again'
    | 'revoked by the app'
    | 'revoked by an administrator'
    | 'revoked by its member'
  readonly now: Micros
}

/** Returns false when there is no such valid grant. */
export async function revokeGrant(
  tx: Transaction,
  workspaceId: string,
  grantId: string,
  { actor, reason, address, now }: GrantRevocation,
): Promise<boolean> {
  const revoked = await revokeWithoutAudit(tx, workspaceId, grantId, now)
  if (revoked === undefined) return false
  await audit(tx, {
    workspaceId,
    actor,
    action: 'grant.revoked',
    subject: { type: 'grant', id: grantId },
    details: { reason, app_id: revoked.appId },
    address,
    now,
  })
  return true
}

// Revokes a token at the request of its app. RFC 7009; see docs/reference/access-and-oauth.md (Revocation).

/**
 * Revokes the whole grant of the token, as RFC 7009 allows. Ignores unknown tokens and tokens of other apps without an
 * error. See docs/decisions/oauth.md.
 */
export async function revokePresentedToken(
  db: Database,
  app: App,
  token: string,
  { address, now }: { readonly address: string | null; readonly now: number },
): Promise<void> {
  const grant = (await findAccessTokenGrant(db, token)) ?? (await findRefreshToken(db.sql, token))
  if (grant?.appId !== app.id) return
  const revocation = { actor: { type: 'app', id: app.id }, reason: 'revoked by the app', address, now } as const
  await db.sql.begin((tx) => revokeGrant(tx, grant.workspaceId, grant.grantId, revocation))
}

interface TokenGrant {
  readonly workspaceId: string
  readonly grantId: string
  readonly appId: string
}

const findAccessTokenGrant = ({ control }: Database, token: string): Promise<TokenGrant | undefined> =>
  control
    .selectFrom('relata.tokens')
    .select(['workspace_id as workspaceId', 'grant_id as grantId', 'client_id as appId'])
    .where('token_hash', '=', hashColumn(token))
    .where('grant_id', 'is not', null)
    .$castTo<TokenGrant>()
    .executeTakeFirst()
