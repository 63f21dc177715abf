import type { MemberRow } from '#access/members/members'
import { avatarUrl } from '#access/members/pictures'
import type { ApiContext } from '#context'
import { timestampFromPostgres } from '#base/timing/clock'
import type { WorkspaceMemberOutput } from './schemas'

export const renderMember = ({ model, appUrl }: ApiContext, member: MemberRow): WorkspaceMemberOutput => ({
  id: { workspace_id: model.workspace.id, workspace_member_id: member.id },
  first_name: member.first_name,
  last_name: member.last_name,
  avatar_url: avatarUrl(appUrl, member.avatar_url),
  email_address: member.email_address,
  created_at: timestampFromPostgres(member.created_at),
  access_level: member.access_level,
})
