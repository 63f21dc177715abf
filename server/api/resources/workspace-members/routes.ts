import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import {
  WorkspaceMemberListResponse,
  WorkspaceMemberQuery,
  WorkspaceMemberResponse,
  type WorkspaceMemberOutput,
} from './schemas'
import { findMember, listMembers, type MemberRow } from '#access/members/members'
import { isUuid } from '#vocabulary/uuids'
import type { ApiContext } from '#context'
import { memberNotFound } from '#base/errors/access'
import { avatarUrl } from '#access/members/pictures'
import { timestampFromPostgres } from '#base/timing/clock'

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

/** Returns all members, also suspended ones, in the order of their creation. See docs/reference/access-and-oauth.md (Workspace members). */
async function queryMembers(
  context: ApiContext,
  { search = '' }: WorkspaceMemberQuery,
): Promise<WorkspaceMemberOutput[]> {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const members = await listMembers(context.db, context.model.workspace.id)
  return members.filter((member) => matches(member, words)).map((member) => renderMember(context, member))
}

async function getMember(context: ApiContext, memberId: string): Promise<WorkspaceMemberOutput> {
  const { id } = context.model.workspace
  const member = isUuid(memberId) ? await findMember(context.db, id, memberId) : undefined
  if (member === undefined) throw memberNotFound(memberId)
  return renderMember(context, member)
}

/** Whether each word occurs in the names or the email address. */
function matches(
  { first_name, last_name, email_address }: Pick<WorkspaceMemberOutput, 'first_name' | 'last_name' | 'email_address'>,
  words: readonly string[],
): boolean {
  const text = `${first_name} ${last_name} ${email_address}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

const renderMember = ({ model, appUrl }: ApiContext, member: MemberRow): WorkspaceMemberOutput => ({
  id: { workspace_id: model.workspace.id, workspace_member_id: member.id },
  first_name: member.first_name,
  last_name: member.last_name,
  avatar_url: avatarUrl(appUrl, member.avatar_url),
  email_address: member.email_address,
  created_at: timestampFromPostgres(member.created_at),
  access_level: member.access_level,
})
