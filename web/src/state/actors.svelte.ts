/** The names and pictures of actors. Only admins see the names of API keys. */

import type { Actor } from '../api/records/entities'
import { type Key, listKeys } from '../api/access/keys'
import { nameOf } from '../api/access/members'
import { listWorkspaceMembers, type WorkspaceMember } from '../api/access/workspace-members'
import { CoalescedRead } from './reads/coalesced-read'
import { QueryCache } from './reads/query-cache.svelte'
import { session } from './session.svelte'

/** Events of a new member arrive together. */
const PAUSE_MS = 200

const members = new QueryCache<WorkspaceMember[]>()
const keys = new QueryCache<Key[]>()

/** Members of the current workspace; undefined while they are loading. */
export const workspaceMembers = (): readonly WorkspaceMember[] | undefined =>
  members.get('', listWorkspaceMembers)?.data

const renewal = new CoalescedRead(async () => members.find('')?.load(), PAUSE_MS)

/** Reads the members again, if they were read before. */
export const refreshMembers = (): void => renewal.request()

/** Whether the actor is a member who joined since the members were read. */
export const isNewMember = ({ type, id }: Actor): boolean =>
  type === 'workspace-member' && members.find('')?.data?.some((one) => one.id.workspace_member_id === id) === false

const apiKeys = (): readonly Key[] | undefined => (session.isAdmin ? keys.get('', listKeys)?.data : undefined)

const findMember = (id: string | null): WorkspaceMember | undefined =>
  workspaceMembers()?.find((member) => member.id.workspace_member_id === id)

export const memberName = ({ first_name, last_name, email_address }: WorkspaceMember): string =>
  nameOf({ first_name, last_name }) || email_address

/** The name of an actor. */
export function actorName({ type, id }: Actor): string {
  if (type === 'workspace-member') {
    const member = findMember(id)
    return member === undefined ? 'Member' : memberName(member)
  }
  if (type === 'api-token') {
    const key = apiKeys()?.find((one) => one.id === id)
    return key === undefined ? 'API key' : `API key “${key.name}”`
  }
  return type === 'app' ? 'App' : 'System'
}

export const actorImage = ({ type, id }: Actor): string | null =>
  type === 'workspace-member' ? (findMember(id)?.avatar_url ?? null) : null
