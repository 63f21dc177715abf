/** Teams and their members. Identity providers change the same teams as groups. See docs/reference/scim.md (Teams). */
import { Elysia } from 'elysia'
import { audit, type AuditActor } from '#access/audit-log/audit'
import { getList, type ListCaller } from '#access/list-access/list-access'
import { findMember, lockMembers } from '#access/members/members'
import { listTeams, requireTeams, type TeamWithPeople } from '#access/teams/list-teams'
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
import { auditActorOf, type ConsoleContext, getMemberModel } from '#api/console/console-context'
import { Done } from '#api/console/schemas'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { memberNotFound, teamNameTaken, teamNotFound } from '#base/errors/access'
import { timestampFromPostgres } from '#base/timing/clock'
import type { AppContext } from '#context'
import type { Transaction } from '#db/connect'
import { modelOfMember } from '#engine/data-model/access/member-model'
import { changeWorkspaceModel, type ModelChange } from '#engine/data-model/change-model'
import { equal } from '#engine/data-model/kysely-in-transaction'
import type { DataModel, ListType } from '#engine/data-model/model'
import { scopesOfRole } from '#vocabulary/roles'
import { isUuid } from '#vocabulary/uuids'
import { ListTeamsAnswer, ListTeamsBody, NewTeamAnswer, TeamBody, TeamsAnswer } from './schemas'

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

const LIST_TEAMS = '/console/api/workspaces/:workspace_id/lists/:list_id/teams'

/** Shares lists with teams. The API shows single members only. */
export const listTeamRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-list-teams' })
    .get(
      ...guard.member(LIST_TEAMS, { response: ListTeamsAnswer }, async ({ member, params }) => ({
        data: await listTeamsOfList(appContext, member, params.list_id),
      })),
    )
    .put(
      ...guard.member(LIST_TEAMS, { response: ListTeamsAnswer, body: ListTeamsBody }, async (input) => {
        const { member, params, body } = input
        const change = { teams: body.teams, auditActor: auditActorOf(input) }
        return { data: await replaceTeamsOfList(appContext, member, params.list_id, change) }
      }),
    )

type Teams = ListTeamsBody['teams']

/** Throws 404 when the member cannot see the list. */
async function listTeamsOfList(appContext: AppContext, member: ConsoleMember, list: string): Promise<Teams> {
  return teamsOf(getList(callerOf(member, await getMemberModel(appContext, member)), list, 'read-only'))
}

/** Replaces all teams of a list. Throws 403 and 404, and 404 for an unknown team. */
async function replaceTeamsOfList(
  { db, models, now }: AppContext,
  member: ConsoleMember,
  list: string,
  { teams, auditActor }: { readonly teams: Teams; readonly auditActor: AuditActor },
): Promise<Teams> {
  const { workspaceId } = member
  await changeWorkspaceModel(db, workspaceId, async (step) => {
    const found = getList(callerOf(member, modelOfMember(step.model, member.memberId)), list, 'full-access')
    await requireTeams(step.tx, workspaceId, teams)
    await storeTeams(step, workspaceId, found.id, teams)
    await audit(step.tx, {
      ...auditActor,
      workspaceId,
      action: 'list.access-changed',
      subject: { type: 'list', id: found.id, name: found.name },
      details: { before: { teams: teamsOf(found) }, after: { teams } },
      now: now(),
    })
  })
  await models.reload(workspaceId)
  return teams
}

const callerOf = (member: ConsoleMember, model: DataModel): ListCaller => ({
  model,
  actor: member.actor,
  memberId: member.memberId,
  scopes: scopesOfRole(member),
})

const teamsOf = ({ teamAccess = [] }: ListType): Teams => teamAccess.map(({ team_id, level }) => ({ team_id, level }))

async function storeTeams({ control }: ModelChange, workspaceId: string, list_id: string, teams: Teams): Promise<void> {
  await control
    .deleteFrom('relata.list_teams')
    .where(equal({ workspace_id: workspaceId, list_id }))
    .execute()
  if (teams.length === 0) return
  const rows = teams.map((team) => ({ workspace_id: workspaceId, list_id, ...team }))
  await control.insertInto('relata.list_teams').values(rows).execute()
}
