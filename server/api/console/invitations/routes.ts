import { Elysia } from 'elysia'
import { type ConsoleContext, deviceOf, auditActorOf } from '#api/console/console-context'
import { answerSignIn } from '#api/console/session/sign-in'
import { acceptInvitation, getInvitation } from './accept'
import { inviteMember, listWorkspaceInvitations, deleteInvitation } from './invite'
import {
  AcceptanceBody,
  AcceptedAnswer,
  InvitationBody,
  InvitationsAnswer,
  NewInvitationAnswer,
  ReceivedInvitationAnswer,
} from './schemas'
import { Done } from '#api/console/schemas'

const OF_WORKSPACE = '/console/api/workspaces/:workspace_id/invitations'
const BY_TOKEN = '/console/api/invitations/:token'

export const invitationRoutes = ({ guard, appContext, cookie }: ConsoleContext) =>
  new Elysia({ name: 'console-invitations' })
    .get(
      OF_WORKSPACE,
      ...guard.admin({ response: InvitationsAnswer }, async ({ member }) => ({
        data: await listWorkspaceInvitations(appContext, member),
      })),
    )
    .post(
      OF_WORKSPACE,
      ...guard.admin({ response: NewInvitationAnswer, body: InvitationBody }, async (input) => ({
        data: await inviteMember(appContext, input.member, input.body, auditActorOf(input)),
      })),
    )
    .delete(
      `${OF_WORKSPACE}/:invitation_id`,
      ...guard.admin({ response: Done }, async (input) => {
        await deleteInvitation(appContext, input.member.workspaceId, input.params.invitation_id, auditActorOf(input))
        return { data: {} }
      }),
    )
    .get(
      BY_TOKEN,
      ...guard.anyone({ response: ReceivedInvitationAnswer }, async ({ params }) => ({
        data: await getInvitation(appContext, params.token),
      })),
    )
    .post(
      `${BY_TOKEN}/accept`,
      ...guard.anyone({ response: AcceptedAnswer, body: AcceptanceBody }, async (input) => {
        const { params, body, session } = input
        const accepted = await acceptInvitation(appContext, params.token, body, session, deviceOf(input))
        const data = { workspace_id: accepted.workspaceId, workspace_member_id: accepted.memberId }
        return accepted.signIn === undefined ? { data } : answerSignIn(cookie, accepted.signIn, data)
      }),
    )
