/**
 * The viewer of a workspace, and the viewer's access to its lists. See docs/reference/lists-and-entries.md (Access to lists).
 *
 * | viewer    | has                                                                     |
 * |-----------|-------------------------------------------------------------------------|
 * | API key   | the access of all members, and that of its collection scopes           |
 * | app       | the same, and what the member who authorised it was given on this list  |
 * | member    | what the workspace has, and what was given to them; an admin everything |
 * | system    | everything                                                              |
 *
 * A member is given what the list gives to the member or to a team of the member.
 * `private_collection` reaches all lists, `public_collection` those the workspace has access to: `:read` to see them,
 * `:read-write` for full access. Of several grants the greatest counts.
 */

import { type Area, includesScope, type Scope } from '#vocabulary/scopes'
import type { Actor, ListType } from './model'
import { ACCESS_LEVELS, type AccessLevel } from '#vocabulary/data-model'

export interface Viewer {
  readonly kind: Actor['type']
  /** The member who acts, or who authorised the app. */
  readonly memberId?: string | undefined
  /** Whether that member is an admin. It matters only if the member acts. */
  readonly isAdmin?: boolean
  readonly scopes: ReadonlySet<Scope>
}

/** The access that a list gives. */
export type ListAccess = Pick<ListType, 'workspace_access' | 'workspace_member_access' | 'teamAccess'>

/** The viewer's access to a list; undefined if the viewer may not see it. */
export function accessLevelOn(viewer: Viewer, list: ListAccess): AccessLevel | undefined {
  const { kind, isAdmin } = viewer
  if (kind === 'system' || (kind === 'workspace-member' && isAdmin === true)) return 'full-access'
  if (kind === 'workspace-member') return greatest([list.workspace_access, ...sharedWith(list, viewer)])
  return greatest([
    list.workspace_access,
    ...(kind === 'app' ? sharedWith(list, viewer) : []),
    list.workspace_access === null ? null : collectionLevel(viewer, 'public_collection'),
    collectionLevel(viewer, 'private_collection'),
  ])
}

/** The levels that the list gives to the member and to teams of the member. */
function sharedWith({ workspace_member_access, teamAccess = [] }: ListAccess, { memberId }: Viewer): AccessLevel[] {
  if (memberId === undefined || memberId === null) return []
  const own = workspace_member_access.filter(({ workspace_member_id }) => workspace_member_id === memberId)
  const ofTeams = teamAccess.filter(({ memberIds }) => memberIds.has(memberId))
  return [...own, ...ofTeams].map(({ level }) => level)
}

function collectionLevel({ scopes }: Viewer, area: Area & `${string}_collection`): AccessLevel | null {
  if (includesScope(scopes, `${area}:read-write`)) return 'full-access'
  return includesScope(scopes, `${area}:read`) ? 'read-only' : null
}

const greatest = (levels: readonly (AccessLevel | null)[]): AccessLevel | undefined =>
  ACCESS_LEVELS.findLast((level) => levels.includes(level))

/** The member whose personal views the request may use; null for apps, keys and assistants. */
export const viewOwner = ({
  memberId,
  clientId,
}: {
  readonly memberId?: string | undefined
  readonly clientId?: string | undefined
}): string | null => (clientId === undefined ? (memberId ?? null) : null)
