/**
 * The workspaces of an account, and its access level in each. A suspended member has no access.
 * See docs/reference/access-and-oauth.md (Workspace members).
 */

import type { Database } from '../../../db/connect'
import type { Permission } from '../../roles'

export type AccessLevel = 'admin' | 'member' | 'suspended'

/** An account as a member of one workspace. */
export interface Membership {
  readonly workspaceId: string
  readonly memberId: string
  /** The number of the member's actor. */
  readonly actor: number
  readonly accessLevel: AccessLevel
  readonly memberPermissions: readonly Permission[]
}

/** Returns undefined when the account is no member of such a workspace. Runs at every request of the console. */
export async function findMembership(
  db: Database,
  accountId: string,
  workspaceId: string,
): Promise<Membership | undefined> {
  const [row] = await db.sql<[MembershipRow?]>`
    select m.id, a.number as actor, m.access_level, w.member_permissions
    from relata.workspace_members m
    join relata.workspaces w on w.id = m.workspace_id
    join relata.actors a on a.workspace_id = m.workspace_id and a.type = 'workspace-member' and a.id = m.id
    where m.account_id = ${accountId} and m.workspace_id = ${workspaceId}`
  if (row === undefined) return undefined
  const { id, actor, access_level, member_permissions } = row
  return { workspaceId, memberId: id, actor, accessLevel: access_level, memberPermissions: member_permissions }
}

interface MembershipRow {
  readonly id: string
  readonly actor: number
  readonly access_level: AccessLevel
  readonly member_permissions: readonly Permission[]
}

export interface WorkspaceOfAccount {
  id: string
  name: string
  slug: string
  logo_url: string | null
  access_level: AccessLevel
  workspace_member_id: string
  first_name: string
  last_name: string
  member_permissions: Permission[]
}

/** Returns the workspaces in the order of their names, including those in which the account is suspended. */
export const listWorkspacesOf = (db: Database, accountId: string): Promise<WorkspaceOfAccount[]> =>
  db.control
    .selectFrom('relata.workspace_members as m')
    .innerJoin('relata.workspaces as w', 'w.id', 'm.workspace_id')
    .select(['w.id', 'w.name', 'w.slug', 'w.logo_url', 'm.access_level', 'm.id as workspace_member_id'])
    .select(['m.first_name', 'm.last_name', 'w.member_permissions'])
    .where('m.account_id', '=', accountId)
    .orderBy(({ fn }) => fn<string>('lower', ['w.name']))
    .orderBy('w.number')
    .$castTo<WorkspaceOfAccount>()
    .execute()
