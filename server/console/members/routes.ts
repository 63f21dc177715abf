import { Elysia } from 'elysia'
import { type Console, auditActorOf } from '../console'
import { changeMember, showMembers } from './members'
import { MemberChangeBody } from './schemas'

const MEMBERS = '/console/api/workspaces/:workspace_id/members'

export const memberRoutes = ({ guard, appContext }: Console) =>
  new Elysia({ name: 'console-members' })
    .get(MEMBERS, ...guard.member({}, async ({ member }) => ({ data: await showMembers(appContext, member) })))
    .patch(
      `${MEMBERS}/:workspace_member_id`,
      ...guard.member({ body: MemberChangeBody }, async (visit) => {
        const { member, params, body } = visit
        return { data: await changeMember(appContext, member, params.workspace_member_id, body, auditActorOf(visit)) }
      }),
    )
