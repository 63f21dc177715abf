import { Elysia } from 'elysia'
import { type Console, deviceOf, doerOf, withCookie } from '../console'
import { acceptInvitation, showInvitation } from './accept'
import { invite, showInvitations, takeBack } from './invite'
import { AcceptanceBody, InvitationBody } from './schemas'

const OF_WORKSPACE = '/console/api/workspaces/:workspace_id/invitations'
const OF_GUEST = '/console/api/invitations/:token'

export const invitationRoutes = ({ door, platform, cookie }: Console) =>
  new Elysia({ name: 'console-invitations' })
    .get(OF_WORKSPACE, ...door.admin({}, async ({ member }) => ({ data: await showInvitations(platform, member) })))
    .post(
      OF_WORKSPACE,
      ...door.admin({ body: InvitationBody }, async (visit) => ({
        data: await invite(platform, visit.member, visit.body, doerOf(visit)),
      })),
    )
    .delete(
      `${OF_WORKSPACE}/:invitation_id`,
      ...door.admin({}, async (visit) => {
        await takeBack(platform, visit.member.workspaceId, visit.params.invitation_id, doerOf(visit))
        return { data: {} }
      }),
    )
    .get(OF_GUEST, ...door.anyone({}, async ({ params }) => ({ data: await showInvitation(platform, params.token) })))
    .post(
      `${OF_GUEST}/accept`,
      ...door.anyone({ body: AcceptanceBody }, async (visit) => {
        const { params, body, session } = visit
        const accepted = await acceptInvitation(platform, params.token, body, session, deviceOf(visit))
        const data = { workspace_id: accepted.workspaceId, workspace_member_id: accepted.memberId }
        return accepted.sessionToken === undefined ? { data } : withCookie(cookie.set(accepted.sessionToken), data)
      }),
    )
