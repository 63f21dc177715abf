/** Who did things: members by name, keys by name for those who may know them. */

import type { Actor } from '../api/holders'
import { type Key, listKeys } from '../api/keys'
import { nameOf } from '../api/members'
import { listWorkspaceMembers, type WorkspaceMember } from '../api/workspace-members'
import { Loaded } from './loaded.svelte'
import { session } from './session.svelte'

let members: { workspaceId: string | undefined; loaded: Loaded<WorkspaceMember[]> } | undefined
let keys: { workspaceId: string | undefined; loaded: Loaded<Key[]> } | undefined

/** Members of the present workspace. */
export function membersHere(): Loaded<WorkspaceMember[]> {
  const workspaceId = session.workspace?.id
  if (members?.workspaceId !== workspaceId || members === undefined) {
    members = { workspaceId, loaded: new Loaded(listWorkspaceMembers) }
  }
  return members.loaded
}

function keysHere(): Loaded<Key[]> | undefined {
  if (!session.isAdmin) return undefined
  const workspaceId = session.workspace?.id
  if (keys?.workspaceId !== workspaceId || keys === undefined) keys = { workspaceId, loaded: new Loaded(listKeys) }
  return keys.loaded
}

export const memberName = ({ first_name, last_name, email_address }: WorkspaceMember): string =>
  nameOf({ first_name, last_name }) || email_address

/** What an actor is called. */
export function actorName({ type, id }: Actor): string {
  if (type === 'workspace-member') {
    const member = membersHere().data?.find((one) => one.id.workspace_member_id === id)
    return member === undefined ? 'Member' : memberName(member)
  }
  if (type === 'api-token') {
    const key = keysHere()?.data?.find((one) => one.id === id)
    return key === undefined ? 'API key' : `API key “${key.name}”`
  }
  if (type === 'app') return 'App'
  return 'System'
}

export const actorImage = ({ type, id }: Actor): string | null =>
  type === 'workspace-member'
    ? (membersHere().data?.find((one) => one.id.workspace_member_id === id)?.avatar_url ?? null)
    : null
