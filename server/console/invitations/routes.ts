import { Elysia } from 'elysia'
import { type Console, deviceOf, auditActorOf, withCookie } from '../console'
import { acceptInvitation, showInvitation } from './accept'
import { invite, showInvitations, takeBack } from './invite'
import { AcceptanceBody, InvitationBody } from './schemas'

const OF_WORKSPACE = '/console/api/workspaces/:workspace_id/invitations'
const OF_GUEST = '/console/api/invitations/:token'

export const invitationRoutes = ({ guard, appContext, cookie }: Console) =>
  new Elysia({ name: 'console-invitations' })
    .get(OF_WORKSPACE, ...guard.admin({}, async ({ member }) => ({ data: await showInvitations(appContext, member) })))
    .post(
      OF_WORKSPACE,
      ...guard.admin({ body: InvitationBody }, async (visit) => ({
        data: await invite(appContext, visit.member, visit.body, auditActorOf(visit)),
      })),
    )
    .delete(
      `${OF_WORKSPACE}/:invitation_id`,
      ...guard.admin({}, async (visit) => {
        await takeBack(appContext, visit.member.workspaceId, visit.params.invitation_id, auditActorOf(visit))
        return { data: {} }
      }),
    )
    .get(
      OF_GUEST,
      ...guard.anyone({}, async ({ params }) => ({ data: await showInvitation(appContext, params.token) })),
    )
    .post(
      `${OF_GUEST}/accept`,
      ...guard.anyone({ body: AcceptanceBody }, async (visit) => {
        const { params, body, session } = visit
        const accepted = await acceptInvitation(appContext, params.token, body, session, deviceOf(visit))
        const data = { workspace_id: accepted.workspaceId, workspace_member_id: accepted.memberId }
        return accepted.sessionToken === undefined ? { data } : withCookie(cookie.set(accepted.sessionToken), data)
      }),
    )
