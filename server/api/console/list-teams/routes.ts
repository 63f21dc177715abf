import { Elysia } from 'elysia'
import { auditActorOf, type ConsoleContext } from '#api/console/console-context'
import { listTeamsOfList, replaceTeamsOfList } from './list-teams'
import { ListTeamsAnswer, ListTeamsBody } from './schemas'

const TEAMS = '/console/api/workspaces/:workspace_id/lists/:list_id/teams'

export const listTeamRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-list-teams' })
    .get(
      TEAMS,
      ...guard.member({ response: ListTeamsAnswer }, async ({ member, params }) => ({
        data: await listTeamsOfList(appContext, member, params.list_id),
      })),
    )
    .put(
      TEAMS,
      ...guard.member({ response: ListTeamsAnswer, body: ListTeamsBody }, async (input) => {
        const { member, params, body } = input
        const change = { teams: body.teams, auditActor: auditActorOf(input) }
        return { data: await replaceTeamsOfList(appContext, member, params.list_id, change) }
      }),
    )
