/**
 * What a call may do with a list. Absent and not visible look alike. Spec: resources 5.
 *
 * | who calls                 | has                                                                            |
 * |---------------------------|--------------------------------------------------------------------------------|
 * | an API key                | what the workspace has, and what its collection scopes give                    |
 * | an app                    | the same, and what the member who authorised it was given on this list         |
 * | a member                  | what the workspace has, and what was given to them; an admin everything        |
 * | the system                | everything                                                                     |
 *
 * `private_collection` reaches all lists, `public_collection` those the workspace has access to: `:read` to see them,
 * `:read-write` for full access. Of several grants the greatest counts.
 */

import type { Call } from '../call'
import { closest, findList } from '../data-model/find'
import { ACCESS_LEVELS, type AccessLevel, type ListOwner } from '../data-model/model'
import { listAccessTooLow, listNotFound } from '../errors'
import { type Area, grants } from '../scopes'

/** What the decision is made by. */
export type ListCaller = Pick<Call, 'model' | 'actor' | 'memberId' | 'scopes'>

/** Undefined where the list is not to be seen at all. */
export function listAccess(call: ListCaller, list: ListOwner): AccessLevel | undefined {
  const { model, actor, memberId = '' } = call
  // An actor too new for this model is a key that was just made, or no more than one.
  const kind = model.actors.get(actor)?.type ?? 'api-token'
  if (kind === 'system') return 'full-access'
  if (kind === 'workspace-member') {
    const isAdmin = model.membersById.get(memberId)?.access_level === 'admin'
    return isAdmin ? 'full-access' : greatest([list.workspace_access, sharedWith(list, memberId)])
  }
  return greatest([
    list.workspace_access,
    kind === 'app' ? sharedWith(list, memberId) : null,
    list.workspace_access === null ? null : collectionLevel(call, 'public_collection'),
    collectionLevel(call, 'private_collection'),
  ])
}

/** In the order of their creation. */
export const visibleLists = (call: ListCaller): ListOwner[] =>
  call.model.owners.filter(
    (owner): owner is ListOwner => owner.kind === 'list' && listAccess(call, owner) !== undefined,
  )

/** The list of this slug or id, for a call that needs `level` on it. Throws 404 and 403. */
export function getList(call: ListCaller, slugOrId: string, level: AccessLevel): ListOwner {
  const list = findList(call.model, slugOrId)
  const access = list && listAccess(call, list)
  if (!access) {
    const slugs = visibleLists(call).map(({ api_slug }) => api_slug)
    throw listNotFound(slugOrId, closest(slugOrId, slugs))
  }
  if (rankOf(access) < rankOf(level)) throw listAccessTooLow(list.api_slug, access, level)
  return list
}

const sharedWith = ({ workspace_member_access }: ListOwner, memberId: string): AccessLevel | null =>
  workspace_member_access.find(({ workspace_member_id }) => workspace_member_id === memberId)?.level ?? null

function collectionLevel({ scopes }: ListCaller, area: Area & `${string}_collection`): AccessLevel | null {
  if (grants(scopes, `${area}:read-write`)) return 'full-access'
  return grants(scopes, `${area}:read`) ? 'read-only' : null
}

const rankOf = (level: AccessLevel): number => ACCESS_LEVELS.indexOf(level)

const greatest = (levels: readonly (AccessLevel | null)[]): AccessLevel | undefined =>
  ACCESS_LEVELS.findLast((level) => levels.includes(level))
