/** The schemas of workspace members. See docs/reference/access-and-oauth.md (Workspace members). */

import { type Static, Type } from 'typebox'

const Uuid = Type.String({ format: 'uuid' })

export const WorkspaceMemberOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, workspace_member_id: Uuid }),
  first_name: Type.String(),
  last_name: Type.String(),
  avatar_url: Type.Union([Type.String({ format: 'uri' }), Type.Null()]),
  email_address: Type.String({ format: 'email' }),
  created_at: Type.String({ format: 'date-time' }),
  access_level: Type.Union([Type.Literal('admin'), Type.Literal('member'), Type.Literal('suspended')]),
})
export type WorkspaceMemberOutput = Static<typeof WorkspaceMemberOutput>

export const WorkspaceMemberResponse = Type.Object({ data: WorkspaceMemberOutput })
export const WorkspaceMemberListResponse = Type.Object({ data: Type.Array(WorkspaceMemberOutput) })

export const WorkspaceMemberQuery = Type.Object({
  search: Type.Optional(Type.String({ maxLength: 200, description: 'Words of the name or the email address.' })),
})
export type WorkspaceMemberQuery = Static<typeof WorkspaceMemberQuery>
