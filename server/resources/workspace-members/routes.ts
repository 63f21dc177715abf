import { Elysia } from 'elysia'
import type { Door } from '../../http/guard/route'
import { getMember, queryMembers } from './get'
import { WorkspaceMemberListResponse, WorkspaceMemberQuery, WorkspaceMemberResponse } from './schemas'

const READ = ['user_management:read'] as const
const TAG = 'Workspace members'

export const workspaceMemberRoutes = (door: Door) =>
  new Elysia({ name: 'workspace-members' })
    .get(
      '/v2/workspace_members',
      ...door(
        {
          operation: 'listWorkspaceMembers',
          summary: 'List workspace members',
          description: 'All people of the workspace in the order of their creation, suspended ones included.',
          tag: TAG,
          scopes: READ,
          query: WorkspaceMemberQuery,
          response: WorkspaceMemberListResponse,
        },
        async ({ call, query }) => ({ data: await queryMembers(call, query) }),
      ),
    )
    .get(
      '/v2/workspace_members/:workspace_member_id',
      ...door(
        {
          operation: 'getWorkspaceMember',
          summary: 'Get a workspace member',
          tag: TAG,
          scopes: READ,
          response: WorkspaceMemberResponse,
        },
        async ({ call, params }) => ({ data: await getMember(call, params.workspace_member_id) }),
      ),
    )
