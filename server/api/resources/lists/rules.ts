/**
 * The rules for the slugs of lists and for access to them. See docs/reference/lists-and-entries.md (Lists).
 */

import type { DataModel, ListType } from '#engine/data-model/model'
import { invalidBody } from '#base/errors/http'
import { slugConflict } from '#base/errors/objects'
import { unknownMember } from '#base/errors/records'

type Access = Pick<ListType, 'workspace_access' | 'workspace_member_access'>

/** Refuses access that leaves a list without a member with full access, unknown members, and members named twice. */
export function refuseAccess(model: DataModel, access: Access): void {
  const { workspace_access, workspace_member_access } = access
  const levels = [workspace_access, ...workspace_member_access.map(({ level }) => level)]
  if (!levels.includes('full-access')) {
    throw refused('Give full-access to the workspace or to at least one member')
  }
  const seen = new Set<string>()
  for (const { workspace_member_id: id } of workspace_member_access) {
    if (!model.membersById.has(id)) throw unknownMember(id)
    if (seen.has(id)) throw refused(`Member "${id}" is named twice`)
    seen.add(id)
  }
}

/** Returns the access with ids in lower case, as they are stored. */
export const withLowerCaseIds = ({ workspace_member_access }: Pick<Access, 'workspace_member_access'>) =>
  workspace_member_access.map(({ workspace_member_id, level }) => ({
    workspace_member_id: workspace_member_id.toLowerCase(),
    level,
  }))

/** Refuses the slug of another list, also of one that the caller cannot see, because slugs name lists in URLs. Decision 0072. */
export function refuseTakenSlug(model: DataModel, api_slug: string, self?: ListType): void {
  const taken = model.entityTypes.some(
    (other) => other.kind === 'list' && other.api_slug === api_slug && other.id !== self?.id,
  )
  if (taken) throw slugConflict('list', api_slug)
}

const refused = (message: string) =>
  invalidBody([{ code: 'invalid', path: ['data', 'workspace_member_access'], message }])
