import { findMember, listMembers, type MemberRow } from '#access/members/members'
import { isUuid } from '#vocabulary/uuids'
import type { ApiContext } from '#context'
import { memberNotFound } from '#base/errors/access'
import type { WorkspaceMemberOutput, WorkspaceMemberQuery } from './schemas'
import { avatarUrl } from '#access/members/pictures'
import { timestampFromPostgres } from '#base/timing/clock'

/** Returns all members, also suspended ones, in the order of their creation. See docs/reference/access-and-oauth.md (Workspace members). */
export async function queryMembers(
  context: ApiContext,
  { search = '' }: WorkspaceMemberQuery,
): Promise<WorkspaceMemberOutput[]> {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const members = await listMembers(context.db, context.model.workspace.id)
  return members.filter((member) => matches(member, words)).map((member) => renderMember(context, member))
}

export async function getMember(context: ApiContext, memberId: string): Promise<WorkspaceMemberOutput> {
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
