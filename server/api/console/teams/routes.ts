import { Elysia } from 'elysia'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { auditActorOf, type ConsoleContext } from '#api/console/console-context'
import { NewTeamAnswer, TeamBody, TeamsAnswer } from './schemas'
import { changeTeamMember, createTeam, listWorkspaceTeams, removeTeam, renameTeam, type TeamChange } from './teams'
import { Done } from '#api/console/schemas'

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
      TEAMS,
      ...guard.member({ response: TeamsAnswer }, async ({ member }) => ({
        data: await listWorkspaceTeams(appContext, member.workspaceId),
      })),
    )
    .post(
      TEAMS,
      ...guard.admin({ response: NewTeamAnswer, body: TeamBody }, async (input) => ({
        data: await createTeam(appContext, changeOf(input), input.body.name),
      })),
    )
    .patch(
      TEAM,
      ...guard.admin({ response: Done, body: TeamBody }, async (input) => {
        await renameTeam(appContext, changeOf(input), input.body.name)
        return { data: {} }
      }),
    )
    .delete(
      TEAM,
      ...guard.admin({ response: Done }, async (input) => {
        await removeTeam(appContext, changeOf(input))
        return { data: {} }
      }),
    )
    .put(
      MEMBER,
      ...guard.admin({ response: Done }, async (input) => {
        await changeTeamMember(appContext, changeOf(input), input.params.workspace_member_id, 'add')
        return { data: {} }
      }),
    )
    .delete(
      MEMBER,
      ...guard.admin({ response: Done }, async (input) => {
        await changeTeamMember(appContext, changeOf(input), input.params.workspace_member_id, 'remove')
        return { data: {} }
      }),
    )
