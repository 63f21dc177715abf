/** Renders a group. See docs/reference/scim.md (Groups). */

import type { TeamRow } from '#access/teams/teams'
import { CORE } from '#api/scim/filter/attribute-name'
import { renderMeta } from '#api/scim/users/render'
import type { GroupMember } from './read-groups'

export const GROUP_SCHEMA = `${CORE}Group`

/** `members` is undefined when they are not asked for. */
export const renderGroup = (
  group: TeamRow,
  location: string,
  members: readonly GroupMember[] | undefined,
): Record<string, unknown> => ({
  schemas: [GROUP_SCHEMA],
  id: group.id,
  ...(group.external_id === null ? {} : { externalId: group.external_id }),
  displayName: group.name,
  ...(members && { members: members.map(renderMember) }),
  meta: renderMeta('Group', group, location),
})

const renderMember = ({ id, display }: GroupMember) => ({ value: id, $ref: `/scim/v2/Users/${id}`, display })
