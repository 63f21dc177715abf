/**
 * The workspaces of an account, and its access level in each. A suspended member has no access.
 * See docs/reference/access-and-oauth.md (Workspace members).
 */

import type { Database, Sql, Transaction } from '#db/connect'
import { controlQueriesIn, ofLiveWorkspace, hasRow, equal } from '#engine/data-model/kysely-in-transaction'
import { type Micros, microsFromPostgres } from '#base/timing/clock'
import { type MissingStep, missingStepOf, type RulesForMember } from '#access/providers/rules'
import type { SignIn } from '#access/sessions/sessions'
import { moveOf, type WorkspaceMove } from '#engine/workspaces/workspace-move'
import type { ShowableObject } from '#vocabulary/data-model'
import type { Permission } from '#vocabulary/roles'

export type MemberAccessLevel = 'admin' | 'member' | 'suspended'

/** An account as a member of one workspace. */
export interface Membership {
  readonly workspaceId: string
  readonly memberId: string
  /** The number of the member's actor. */
  readonly actor: number
  readonly accessLevel: MemberAccessLevel
  /** The step of sign-in that the workspace requires and the session lacks. */
  readonly missingStep: MissingStep | null
  readonly memberPermissions: readonly Permission[]
  /** The newest version of the data model of the workspace. */
  readonly modelVersion: number
  /** Undefined unless the workspace moves to another service, or has moved there. */
  readonly move: WorkspaceMove | undefined
}

/** The account of a session, and how it signed in. */
export interface SignedInAccount extends SignIn {
  readonly accountId: string
}

/**
 * Returns undefined when the account is no member of such a workspace, and when its session is bound to another one. Finds also one that
 * has moved. Runs at
 * every request of the console.
 */
export async function findMembership(
  db: Database,
  session: SignedInAccount,
  workspaceId: string,
): Promise<Membership | undefined> {
  if (session.workspaceId !== null && session.workspaceId !== workspaceId) return undefined
  const [row] = await db.sql<[MembershipRow?]>`
    select m.id, a.number as actor, m.access_level, w.member_permissions, w.data_model_version, w.moved_to, w.deleted_at,
      p.workspace_id is not null as has_own_provider,
      coalesce(r.requires_provider, false) as requires_provider, r.break_glass_member_id,
      coalesce(r.requires_second_factor, false) as requires_second_factor
    from relata.workspace_members m
    join relata.all_workspaces w on w.id = m.workspace_id and (w.deleted_at is null or w.moved_to is not null)
    join relata.actors a on a.workspace_id = m.workspace_id and a.type = 'workspace-member' and a.id = m.id
    left join relata.sign_in_rules r on r.workspace_id = m.workspace_id
    left join relata.sign_in_providers p on p.workspace_id = m.workspace_id
    where m.account_id = ${session.accountId} and m.workspace_id = ${workspaceId}`
  if (row === undefined) return undefined
  const { id: memberId, actor, access_level: accessLevel, member_permissions: memberPermissions } = row
  const rules = { ...row, hasOwnProvider: row.has_own_provider }
  return {
    workspaceId,
    memberId,
    actor,
    accessLevel,
    memberPermissions,
    modelVersion: row.data_model_version,
    move: moveOf(row),
    missingStep: missingStepOf(session, { workspaceId, memberId }, rules),
  }
}

interface MembershipRow extends Omit<RulesForMember, 'hasOwnProvider'> {
  readonly id: string
  readonly actor: number
  readonly access_level: MemberAccessLevel
  readonly member_permissions: readonly Permission[]
  readonly data_model_version: number
  readonly moved_to: string | null
  readonly deleted_at: string | null
  readonly has_own_provider: boolean
}

export interface WorkspaceOfAccount {
  id: string
  name: string
  slug: string
  logo_url: string | null
  access_level: MemberAccessLevel
  workspace_member_id: string
  first_name: string
  last_name: string
  /** The step of sign-in that the workspace requires and the session lacks. */
  missing_step: MissingStep | null
  member_permissions: Permission[]
  /** As in the data model. */
  default_country: string | null
  stores_email_texts: boolean
  shown_objects: ShowableObject[]
}

/**
 * Returns the workspaces in the order of their names, including those in which the account is suspended and those that the
 * session cannot open yet.
 */
export const listWorkspacesOf = (db: Database, session: SignedInAccount): Promise<WorkspaceOfAccount[]> =>
  listFrom('relata.workspaces as w', db, session)

/** Returns the deleted workspaces, in the same order, with the times of their deletions. */
export async function listDeletedWorkspacesOf(
  db: Database,
  session: SignedInAccount,
): Promise<(WorkspaceOfAccount & { deletedAt: Micros; movedTo: string | null })[]> {
  const deleted = await db.control
    .selectFrom('relata.workspace_members as m')
    .innerJoin('relata.all_workspaces as w', 'w.id', 'm.workspace_id')
    .innerJoin('relata.workspace_removals as r', 'r.workspace_id', 'w.id')
    .select(['w.id', 'w.deleted_at', 'w.moved_to'])
    .where('m.account_id', '=', session.accountId)
    .where('r.begun_at', 'is', null)
    .$narrowType<{ deleted_at: string }>()
    .execute()
  if (deleted.length === 0) return []
  const byId = new Map(deleted.map((row) => [row.id, row]))
  return (await listFrom('relata.all_workspaces as w', db, session)).flatMap((workspace) => {
    const row = byId.get(workspace.id)
    return row === undefined
      ? []
      : [{ ...workspace, deletedAt: microsFromPostgres(row.deleted_at), movedTo: row.moved_to }]
  })
}

async function listFrom(
  table: 'relata.workspaces as w' | 'relata.all_workspaces as w',
  db: Database,
  session: SignedInAccount,
): Promise<WorkspaceOfAccount[]> {
  const rows = await db.control
    .selectFrom('relata.workspace_members as m')
    .innerJoin(table as 'relata.workspaces as w', 'w.id', 'm.workspace_id') // both have the same columns
    .leftJoin('relata.sign_in_rules as r', 'r.workspace_id', 'w.id')
    .leftJoin('relata.sign_in_providers as p', 'p.workspace_id', 'w.id')
    .select(['w.id', 'w.name', 'w.slug', 'w.logo_url', 'm.access_level', 'm.id as workspace_member_id'])
    .select(['m.first_name', 'm.last_name', 'w.member_permissions', 'w.default_country'])
    .select(['w.stores_email_texts', 'w.shown_objects'])
    .select(['r.requires_provider', 'r.break_glass_member_id', 'r.requires_second_factor'])
    .select('p.workspace_id as provider_of')
    .where('m.account_id', '=', session.accountId)
    .$if(session.workspaceId !== null, (query) => query.where('w.id', '=', session.workspaceId))
    .orderBy(({ fn }) => fn<string>('lower', ['w.name']))
    .orderBy('w.number')
    .execute()
  return rows.map(({ requires_provider, break_glass_member_id, requires_second_factor, provider_of, ...workspace }) => {
    const rules = {
      requires_provider: requires_provider ?? false,
      break_glass_member_id,
      requires_second_factor: requires_second_factor ?? false,
      hasOwnProvider: provider_of !== null,
    }
    const member = { workspaceId: workspace.id, memberId: workspace.workspace_member_id }
    // The schemas of the settings and the constraints of the columns allow no other values.
    const checked = workspace as Pick<WorkspaceOfAccount, 'access_level' | 'member_permissions' | 'shown_objects'>
    const { access_level, member_permissions, shown_objects } = checked
    return {
      ...workspace,
      access_level,
      member_permissions,
      shown_objects,
      missing_step: missingStepOf(session, member, rules),
    }
  })
}

/** Whether the account is a member of the workspace and not suspended. */
export function isActiveMember(sql: Sql | Transaction, accountId: string, workspaceId: string): Promise<boolean> {
  return hasRow(
    controlQueriesIn(sql)
      .selectFrom('relata.workspace_members')
      .select('id')
      .where(equal({ account_id: accountId, workspace_id: workspaceId }))
      .where('access_level', '<>', 'suspended')
      .where(ofLiveWorkspace('workspace_id')),
  )
}
