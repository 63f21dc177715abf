import { Elysia } from 'elysia'
import { type Console, doerOf } from '../console'
import { changeMember, showMembers } from './members'
import { MemberChangeBody } from './schemas'

const MEMBERS = '/console/api/workspaces/:workspace_id/members'

export const memberRoutes = ({ door, platform }: Console) =>
  new Elysia({ name: 'console-members' })
    .get(MEMBERS, ...door.member({}, async ({ member }) => ({ data: await showMembers(platform, member) })))
    .patch(
      `${MEMBERS}/:workspace_member_id`,
      ...door.member({ body: MemberChangeBody }, async (visit) => {
        const { member, params, body } = visit
        return { data: await changeMember(platform, member, params.workspace_member_id, body, doerOf(visit)) }
      }),
    )
