import { Elysia } from 'elysia'
import { type ConsoleContext, auditActorOf } from '#api/console/console-context'
import { updateWorkspaceMember, listWorkspaceMembers } from './members'
import { MemberAnswer, MemberChangeBody, MembersAnswer } from './schemas'

const MEMBERS = '/console/api/workspaces/:workspace_id/members'

export const memberRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-members' })
    .get(
      MEMBERS,
      ...guard.member({ response: MembersAnswer }, async ({ member }) => ({
        data: await listWorkspaceMembers(appContext, member),
      })),
    )
    .patch(
      `${MEMBERS}/:workspace_member_id`,
      ...guard.member({ response: MemberAnswer, body: MemberChangeBody }, async (input) => {
        const { member, params, body } = input
        return {
          data: await updateWorkspaceMember(appContext, member, params.workspace_member_id, body, auditActorOf(input)),
        }
      }),
    )
