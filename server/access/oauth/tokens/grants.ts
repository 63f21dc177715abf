/**
 * Grants: the scopes that one member allowed an app in one workspace. Each consent creates a grant. Revoking a grant revokes
 * its tokens. See docs/decisions/oauth.md.
 */

import { sql } from 'kysely'
import type { Database, Sql, Transaction } from '#db/connect'
import { notifyTokenChange, type TokenResource } from '#access/tokens/tokens'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { deleteWebhooksOf } from '#events/webhooks/delete-webhooks'
import { newId } from '#base/ids'
import type { Scope } from '#vocabulary/scopes'
import { timestampFromMicros, type Micros } from '#base/timing/clock'

export interface NewGrant {
  readonly workspaceId: string
  readonly appId: string
  readonly memberId: string
  readonly scopes: readonly Scope[]
  readonly resource: TokenResource
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
      created_at: timestampFromMicros(now),
    })
    .execute()
  return id
}

/** Returns the valid grants of a workspace, newest first. */
export const listGrants = ({ control }: Database, workspaceId: string): Promise<GrantRow[]> =>
  control
    .selectFrom('relata.grants as g')
    .innerJoin('relata.apps as a', 'a.id', 'g.app_id')
    .select(['g.id', 'g.app_id', 'a.name as app_name', 'a.developer_name', 'a.logo_url'])
    .select(['g.workspace_member_id', 'g.scopes', 'g.resource', 'g.created_at'])
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
    .orderBy('g.created_at', 'desc')
    .orderBy('g.id', 'desc')
    .$castTo<GrantRow>()
    .execute()

/** Returns the scopes that valid grants give an app in each of these workspaces. */
export async function grantedScopes(
  connection: Sql | Transaction,
  appId: string,
  workspaceIds: readonly string[],
): Promise<Map<string, Set<Scope>>> {
  const rows = await controlQueriesIn(connection)
    .selectFrom('relata.grants')
    .select(['workspace_id', 'scopes'])
    .where('app_id', '=', appId)
    .where(sql<boolean>`workspace_id = any(${[...workspaceIds]}::uuid[])`)
    .where('revoked_at', 'is', null)
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
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('app_id')
    .executeTakeFirst()
  if (revoked === undefined) return undefined
  await control
    .updateTable('relata.tokens')
    .set({ revoked_at })
    .where('workspace_id', '=', workspaceId)
    .where('grant_id', '=', id)
    .where('revoked_at', 'is', null)
    .returning(notifyTokenChange.as('notified'))
    .execute()
  await deleteWebhooksOf(tx, workspaceId, revoked.app_id)
  await control
    .deleteFrom('relata.refresh_tokens')
    .where('workspace_id', '=', workspaceId)
    .where('grant_id', '=', id)
    .execute()
  return { appId: revoked.app_id }
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
export async function lockGrant(tx: Transaction, workspaceId: string, id: string): Promise<boolean> {
  const grant = await controlQueriesIn(tx)
    .selectFrom('relata.grants')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return grant !== undefined
}
