/** Teams and their members. Identity providers change the same teams as groups. See docs/reference/scim.md (Teams). */

import { Elysia } from 'elysia'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { auditActorOf, type ConsoleContext } from '#api/console/console-context'
import { NewTeamAnswer, TeamBody, TeamsAnswer } from './schemas'
import { Done } from '#api/console/schemas'
import type { Transaction } from '#db/connect'
import { audit, type AuditActor } from '#access/audit-log/audit'
import { findMember, lockMembers } from '#access/members/members'
import { listTeams, type TeamWithPeople } from '#access/teams/list-teams'
import {
  addToTeam,
  deleteTeam,
  findTeam,
  findTeamByName,
  insertTeam,
  removeFromTeam,
  type TeamRow,
  updateTeam,
} from '#access/teams/teams'
import { isUuid } from '#vocabulary/uuids'
import type { AppContext } from '#context'
import { memberNotFound, teamNameTaken, teamNotFound } from '#base/errors/access'
import { timestampFromPostgres } from '#base/timing/clock'

const TEAMS = '/console/api/workspaces/:workspace_id/teams'
const TEAM = `${TEAMS}/:team_id`
const MEMBER = `${TEAM}/members/:workspace_member_id`

interface TeamInput {
  readonly params: { readonly team_id: string }
  readonly member: ConsoleMember
  readonly address: string | null
}

const changeOf = (input: TeamInput): TeamChange => ({
  workspaceId: input.member.workspaceId,
  teamId: input.params.team_id,
  auditActor: auditActorOf(input),
})

export const teamRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-teams' })
    .get(
      ...guard.member(TEAMS, { response: TeamsAnswer }, async ({ member }) => ({
        data: await listWorkspaceTeams(appContext, member.workspaceId),
      })),
    )
    .post(
      ...guard.admin(TEAMS, { response: NewTeamAnswer, body: TeamBody }, async (input) => {
        const change = { workspaceId: input.member.workspaceId, auditActor: auditActorOf(input) }
        return { data: await createTeam(appContext, change, input.body.name) }
      }),
    )
    .patch(
      ...guard.admin(TEAM, { response: Done, body: TeamBody }, async (input) => {
        await renameTeam(appContext, changeOf(input), input.body.name)
        return { data: {} }
      }),
    )
    .delete(
      ...guard.admin(TEAM, { response: Done }, async (input) => {
        await removeTeam(appContext, changeOf(input))
        return { data: {} }
      }),
    )
    .put(
      ...guard.admin(MEMBER, { response: Done }, async (input) => {
        await changeTeamMember(appContext, changeOf(input), input.params.workspace_member_id, 'add')
        return { data: {} }
      }),
    )
    .delete(
      ...guard.admin(MEMBER, { response: Done }, async (input) => {
        await changeTeamMember(appContext, changeOf(input), input.params.workspace_member_id, 'remove')
        return { data: {} }
      }),
    )

async function listWorkspaceTeams({ db, now }: AppContext, workspaceId: string): Promise<object[]> {
  return (await listTeams(db.sql, workspaceId, now())).map(renderTeam)
}

/** A team of a workspace, and who changes it. */
interface TeamChange {
  readonly workspaceId: string
  readonly teamId: string
  readonly auditActor: AuditActor
}

/** Throws 409 for the name of another team. */
async function createTeam(
  appContext: AppContext,
  { workspaceId, auditActor }: Omit<TeamChange, 'teamId'>,
  name: string,
): Promise<object> {
  const teamId = await appContext.db.sql.begin(async (tx) => {
    await lockMembers(tx, workspaceId)
    await refuseTakenName(tx, workspaceId, name)
    const id = await insertTeam(tx, workspaceId, { name: name.trim() }, appContext.now())
    await auditTeam(tx, appContext, { workspaceId, teamId: id, auditActor }, 'created', name)
    return id
  })
  return { id: teamId, name: name.trim() }
}

/** Throws 404, and 409 for the name of another team. */
const renameTeam = (appContext: AppContext, change: TeamChange, name: string): Promise<void> =>
  changeTeam(appContext, change, async (tx, team) => {
    await refuseTakenName(tx, change.workspaceId, name, team.id)
    await updateTeam(tx, change.workspaceId, { ...team, name: name.trim() }, appContext.now())
    await auditTeam(tx, appContext, change, 'updated', name)
  })

/** Throws 404. */
const removeTeam = (appContext: AppContext, change: TeamChange): Promise<void> =>
  changeTeam(appContext, change, async (tx, team) => {
    await deleteTeam(tx, { workspaceId: change.workspaceId, teamId: team.id })
    await auditTeam(tx, appContext, change, 'deleted', team.name)
  })

/** Throws 404 for the team and for the member. */
const changeTeamMember = (
  appContext: AppContext,
  change: TeamChange,
  memberId: string,
  how: 'add' | 'remove',
): Promise<void> =>
  changeTeam(appContext, change, async (tx, team) => {
    const { workspaceId } = change
    const member = isUuid(memberId) ? await findMember({ sql: tx }, workspaceId, memberId) : undefined
    if (member === undefined) throw memberNotFound(memberId)
    const people = { members: [member.id], invitations: [] }
    const write = how === 'add' ? addToTeam : removeFromTeam
    const count = await write(tx, { workspaceId, teamId: team.id }, people, appContext.now())
    const what = how === 'add' ? 'member-added' : 'member-removed'
    if (count > 0) await auditTeam(tx, appContext, change, what, team.name, { member: member.email_address })
  })

async function changeTeam(
  { db, models }: AppContext,
  { workspaceId, teamId }: TeamChange,
  write: (tx: Transaction, team: TeamRow) => Promise<void>,
): Promise<void> {
  if (!isUuid(teamId)) throw teamNotFound(teamId)
  await db.sql.begin(async (tx) => {
    await lockMembers(tx, workspaceId)
    const team = await findTeam(tx, workspaceId, teamId)
    if (team === undefined) throw teamNotFound(teamId)
    await write(tx, team)
  })
  models.remove(workspaceId)
}

async function refuseTakenName(tx: Transaction, workspaceId: string, name: string, ownId?: string): Promise<void> {
  const other = await findTeamByName(tx, workspaceId, name.trim())
  if (other !== undefined && other.id !== ownId) throw teamNameTaken(name)
}

const auditTeam = (
  tx: Transaction,
  { now }: AppContext,
  { workspaceId, teamId, auditActor }: TeamChange,
  ...[what, name, details]: [what: string, name: string, details?: Readonly<Record<string, unknown>>]
) =>
  audit(tx, {
    ...auditActor,
    workspaceId,
    action: `team.${what}`,
    subject: { type: 'team', id: teamId, name },
    ...(details && { details }),
    now: now(),
  })

const renderTeam = ({ id, name, created_at, member_ids, invited }: TeamWithPeople) => ({
  id,
  name,
  created_at: timestampFromPostgres(created_at),
  member_ids,
  /** The email addresses of invited people, who join the team when they accept. */
  invited,
})
