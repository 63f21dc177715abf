import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { getMember, queryMembers } from './get'
import { WorkspaceMemberListResponse, WorkspaceMemberQuery, WorkspaceMemberResponse } from './schemas'

const READ = ['user_management:read'] as const
const TAG = 'Workspace members'

export const workspaceMemberRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'workspace-members' })
    .get(
      ...guard(
        '/v2/workspace_members',
        {
          operation: 'listWorkspaceMembers',
          summary: 'List workspace members',
          description: 'All members of the workspace in the order of their creation, also suspended ones.',
          tag: TAG,
          scopes: READ,
          query: WorkspaceMemberQuery,
          response: WorkspaceMemberListResponse,
        },
        async ({ context, query }) => ({ data: await queryMembers(context, query) }),
      ),
    )
    .get(
      ...guard(
        '/v2/workspace_members/:workspace_member_id',
        {
          operation: 'getWorkspaceMember',
          summary: 'Get a workspace member',
          tag: TAG,
          scopes: READ,
          response: WorkspaceMemberResponse,
        },
        async ({ context, params }) => ({ data: await getMember(context, params.workspace_member_id) }),
      ),
    )
