import { Type } from 'typebox'
import { defineTool, READS } from './define'

interface MemberData {
  readonly id: { readonly workspace_member_id: string }
  readonly first_name: string
  readonly last_name: string
  readonly email_address: string
  readonly access_level: string
}

export const listMembersTool = defineTool({
  name: 'list_members',
  title: 'List members',
  description: 'Lists the members of the workspace, who can be assignees and values of actor references.',
  operations: ['listWorkspaceMembers'],
  effect: READS,
  arguments: Type.Object({ search: Type.Optional(Type.String({ maxLength: 256 })) }),
  async run({ search }, { call }) {
    const { data } = (await call('listWorkspaceMembers', { query: { search } })) as { data: MemberData[] } // as in the schema of the operation
    return data.map(({ id, first_name, last_name, email_address, access_level }) => ({
      id: id.workspace_member_id,
      name: `${first_name} ${last_name}`.trim(),
      email_address,
      ...(access_level === 'suspended' ? { is_suspended: true } : {}),
    }))
  },
})
