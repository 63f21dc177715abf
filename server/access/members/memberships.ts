/**
 * Which workspaces an account may enter, and as whom. A suspended member may not.
 * See docs/reference/access-and-oauth.md (Workspace members).
 */

import type { Database } from '../../../db/connect'

export type AccessLevel = 'admin' | 'member' | 'suspended'

/** A person in one workspace, as of now. */
export interface Membership {
  readonly workspaceId: string
  readonly memberId: string
  /** The number of the actor that stands for what they do. */
  readonly actor: number
  readonly accessLevel: AccessLevel
}

/** Undefined where there is no such workspace for this account. */
export async function findMembership(
  db: Database,
  accountId: string,
  workspaceId: string,
): Promise<Membership | undefined> {
  const [row] = await db.sql<[{ id: string; actor: number; access_level: AccessLevel }?]>`
    select m.id, a.number as actor, m.access_level
    from relata.workspace_members m
    join relata.actors a on a.workspace_id = m.workspace_id and a.type = 'workspace-member' and a.id = m.id
    where m.account_id = ${accountId} and m.workspace_id = ${workspaceId}`
  return row && { workspaceId, memberId: row.id, actor: row.actor, accessLevel: row.access_level }
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
}

/** Also those in which the account is suspended, which says so to the person. By name. */
export async function listWorkspacesOf(db: Database, accountId: string): Promise<WorkspaceOfAccount[]> {
  return db.sql<WorkspaceOfAccount[]>`
    select w.id, w.name, w.slug, w.logo_url, m.access_level, m.id as workspace_member_id, m.first_name, m.last_name
    from relata.workspace_members m join relata.workspaces w on w.id = m.workspace_id
    where m.account_id = ${accountId} order by lower(w.name), w.number`
}
