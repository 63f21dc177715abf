/** Shares lists with teams. The API shows single members only. See docs/reference/scim.md (Teams). */

import { Elysia } from 'elysia'
import { equal } from '#engine/data-model/kysely-in-transaction'
import { auditActorOf, type ConsoleContext, getMemberModel } from '#api/console/console-context'
import { ListTeamsAnswer, ListTeamsBody } from './schemas'
import { audit, type AuditActor } from '#access/audit-log/audit'
import { getList, type ListCaller } from '#access/list-access/list-access'
import { requireTeams } from '#access/teams/list-teams'
import type { AppContext } from '#context'
import { changeWorkspaceModel, type ModelChange } from '#engine/data-model/change-model'
import { modelOfMember } from '#engine/data-model/access/member-model'
import type { DataModel, ListType } from '#engine/data-model/model'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { scopesOfRole } from '#vocabulary/roles'

const TEAMS = '/console/api/workspaces/:workspace_id/lists/:list_id/teams'

export const listTeamRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-list-teams' })
    .get(
      ...guard.member(TEAMS, { response: ListTeamsAnswer }, async ({ member, params }) => ({
        data: await listTeamsOfList(appContext, member, params.list_id),
      })),
    )
    .put(
      ...guard.member(TEAMS, { response: ListTeamsAnswer, body: ListTeamsBody }, async (input) => {
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
