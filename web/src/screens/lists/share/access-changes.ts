/** Changes of the access to a list, as functions of the access before them. */

import type { List } from '../../../state/data-model.svelte'
import type { Access } from './access-queue'
import type { Level } from './levels'

type MemberAccess = List['workspace_member_access'][number]

export const withWorkspaceAccess =
  (level: Level | 'private') =>
  (access: Access): Access => ({ ...access, workspace_access: level === 'private' ? null : level })

/** Gives a member another level, adds the member behind the others, or removes the member. */
export const withMember =
  (id: string, level: Level | 'none') =>
  (access: Access): Access => ({
    ...access,
    workspace_member_access: changed(access.workspace_member_access, id, level),
  })

function changed(members: readonly MemberAccess[], id: string, level: Level | 'none'): MemberAccess[] {
  if (level === 'none') return members.filter(({ workspace_member_id }) => workspace_member_id !== id)
  const own = { workspace_member_id: id, level }
  const isNew = !members.some(({ workspace_member_id }) => workspace_member_id === id)
  if (isNew) return [...members, own]
  return members.map((one) => (one.workspace_member_id === id ? own : one))
}

/** A list that not all members may change keeps one member with full access: the member who saves it. */
export function withOwner(access: Access, ownId: string): Access {
  const { workspace_access, workspace_member_access: members } = access
  const hasOwner = workspace_access === 'full-access' || members.some(({ level }) => level === 'full-access')
  if (hasOwner) return access
  const others = members.filter(({ workspace_member_id }) => workspace_member_id !== ownId)
  const own = { workspace_member_id: ownId, level: 'full-access' as const }
  return { ...access, workspace_member_access: [...others, own] }
}
