/** Renders a user. See docs/reference/scim.md (Users). */

import { timestampFromPostgres } from '#base/timing/clock'
import { CORE } from '#api/scim/filter/parse'
import type { UserRow } from './store'

export const USER_SCHEMA = `${CORE}User`

export interface RenderedTeam {
  readonly id: string
  readonly name: string
}

/** `location` is the URL of the user. `teams` is undefined in lists. */
export function renderUser(user: UserRow, location: string, teams?: readonly RenderedTeam[]): Record<string, unknown> {
  const { id, user_name, first_name, last_name, access_level, external_id, avatar_url } = user
  const role = access_level === 'suspended' ? undefined : access_level
  return {
    schemas: [USER_SCHEMA],
    id,
    ...(external_id === null ? {} : { externalId: external_id }),
    userName: user_name,
    name: { givenName: first_name, familyName: last_name },
    emails: [{ value: user_name, primary: true, type: 'work' }],
    active: role !== undefined,
    ...(role === undefined ? {} : { appRole: role, roles: [{ value: role, primary: true }] }),
    profileUrl: avatar_url,
    ...(teams && { groups: teams.map(renderTeam) }),
    meta: renderMeta('User', user, location),
  }
}

const renderTeam = ({ id, name }: RenderedTeam) => ({ value: id, display: name, $ref: `/scim/v2/Groups/${id}` })

interface Dated {
  readonly created_at: string
  readonly updated_at: string
}

export const renderMeta = (resourceType: 'User' | 'Group', { created_at, updated_at }: Dated, location: string) => ({
  resourceType,
  created: milliseconds(created_at),
  lastModified: milliseconds(updated_at),
  location,
})

const milliseconds = (timestamp: string): string => `${timestampFromPostgres(timestamp).slice(0, 23)}Z`
