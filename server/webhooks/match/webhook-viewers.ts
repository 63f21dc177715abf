/**
 * Webhooks with their viewers. A webhook gets only events that one of its viewers may see now. The viewers are the API key
 * or the active grants of the app that the webhook belongs to; otherwise the actor who saved the webhook last. Decision 0072.
 */

import type { Sql, Transaction } from '../../../db/connect'
import type { Actor } from '../../data-model/model'
import type { ListAccess, Viewer } from '../../data-model/viewer'
import { ROLE_SCOPES } from '../../roles'
import type { Scope } from '../../scopes'
import type { Subscription } from './subscription'

export interface ActiveWebhook {
  readonly workspaceId: string
  readonly id: string
  readonly subscriptions: readonly Subscription[]
  readonly viewers: readonly Viewer[]
}

/** Leaves out inactive webhooks. */
export async function listActiveWebhooks(tx: Transaction, workspaceIds: readonly string[]): Promise<ActiveWebhook[]> {
  const rows = await tx<(ViewerRow & { workspace_id: string; id: string; subscriptions: string })[]>`
    select w.workspace_id, w.id, w.subscriptions, ${viewerColumns(tx)}
    from ${webhooksWithSavers(tx)}
    where w.workspace_id = any(${[...workspaceIds]}::uuid[]) and w.status <> 'inactive'`
  return rows.map((row) => ({
    workspaceId: row.workspace_id,
    id: row.id,
    subscriptions: JSON.parse(row.subscriptions),
    viewers: viewersOf(row),
  }))
}

/** Returns no viewers when the webhook does not exist, or its API key and all grants are revoked. */
export async function findViewers(sql: Sql, workspaceId: string, webhookId: string): Promise<readonly Viewer[]> {
  const [row] = await sql<ViewerRow[]>`
    select ${viewerColumns(sql)} from ${webhooksWithSavers(sql)}
    where w.workspace_id = ${workspaceId} and w.id = ${webhookId}`
  return row === undefined ? [] : viewersOf(row)
}

/** The access settings of these lists, by the list's id. */
export async function findListAccess(
  tx: Transaction,
  workspaceIds: readonly string[],
  listIds: readonly string[],
): Promise<Map<string, ListAccess>> {
  if (listIds.length === 0) return new Map()
  const rows = await tx<{ id: string; workspace_access: ListAccess['workspace_access']; members: string }[]>`
    select id, workspace_access, array_to_json(array(
      select json_build_object('workspace_member_id', workspace_member_id, 'level', level) from relata.list_members m
      where m.workspace_id = l.workspace_id and m.list_id = l.id)) as members
    from relata.lists l
    where workspace_id = any(${[...workspaceIds]}::uuid[]) and id::text = any(${[...listIds]}::text[])`
  return new Map(
    rows.map(({ id, workspace_access, members }) => [
      id,
      { workspace_access, workspace_member_access: JSON.parse(members) },
    ]),
  )
}

interface ViewerRow {
  readonly kind: Actor['type'] | null
  readonly member_id: string | null
  readonly access_level: 'admin' | 'member' | 'suspended' | null
  /** JSON: the scopes of each API key and grant, with the member who authorised it. */
  readonly clients: string
}

/** Actor 0 is the system and has no row. */
const webhooksWithSavers = (sql: Sql | Transaction) => sql`relata.webhooks w
  left join relata.actors a on a.workspace_id = w.workspace_id and a.number = w.saved_by
  left join relata.workspace_members m
    on a.type = 'workspace-member' and m.workspace_id = w.workspace_id and m.id = a.id`

const viewerColumns = (
  sql: Sql | Transaction,
) => sql`a.type as kind, m.id as member_id, m.access_level, array_to_json(array(
    select json_build_object('scopes', t.scopes, 'memberId', t.authorized_by_workspace_member_id) from relata.tokens t
    where t.workspace_id = w.workspace_id and t.client_id = w.client_id and t.grant_id is null and t.revoked_at is null
    union all
    select json_build_object('scopes', g.scopes, 'memberId', g.workspace_member_id) from relata.grants g
    where g.workspace_id = w.workspace_id and g.app_id = w.client_id and g.revoked_at is null
    union all
    select json_build_object('scopes', t.scopes, 'memberId', t.authorized_by_workspace_member_id) from relata.tokens t
    where w.client_id is null and a.type = 'api-token' and t.workspace_id = w.workspace_id and t.id = a.id
      and t.revoked_at is null
  )) as clients`

function viewersOf({ kind, member_id, access_level, clients }: ViewerRow): Viewer[] {
  if (kind === null) return [{ kind: 'system', scopes: ROLE_SCOPES.admin }]
  if (kind === 'workspace-member') return [memberViewer(member_id, access_level)]
  const found = JSON.parse(clients) as { scopes: Scope[]; memberId: string }[] // as built above
  return found.map(({ scopes, memberId }) => ({ kind, memberId, scopes: new Set(scopes) }))
}

/** A suspended member sees no lists that were shared with them. */
function memberViewer(memberId: string | null, accessLevel: ViewerRow['access_level']): Viewer {
  if (accessLevel === 'admin') return { kind: 'workspace-member', isAdmin: true, scopes: ROLE_SCOPES.admin }
  const shared = accessLevel === 'member' && memberId !== null ? { memberId } : {}
  return { kind: 'workspace-member', ...shared, scopes: ROLE_SCOPES.member }
}
