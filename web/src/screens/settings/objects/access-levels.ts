/** The access of members and teams to objects, in words. */

import type { ObjectAccess, ObjectGrants } from '../../../api/access/object-access'

/** A team without a grant has the access of all members. */
export type TeamAccess = ObjectAccess | 'none'

export const MEMBER_LEVELS: readonly { readonly value: ObjectAccess; readonly label: string }[] = [
  { value: 'read-write', label: 'Can edit' },
  { value: 'read-only', label: 'Can view' },
  { value: 'hidden', label: 'Hidden' },
]

export const TEAM_LEVELS: readonly { readonly value: TeamAccess; readonly label: string }[] = [
  { value: 'none', label: 'As members' },
  ...MEMBER_LEVELS,
]

export const ACCESS_HINT =
  "A team's access replaces the access of all members. A member of several teams has the highest. Admins can edit all objects."

export const accessOfTeam = ({ teams }: ObjectGrants, teamId: string): TeamAccess =>
  teams.find(({ team_id }) => team_id === teamId)?.access ?? 'none'

/** The grants after a change of one team. */
export function withTeam(grants: ObjectGrants, teamId: string, access: TeamAccess): ObjectGrants {
  const others = grants.teams.filter(({ team_id }) => team_id !== teamId)
  return { ...grants, teams: access === 'none' ? others : [...others, { team_id: teamId, access }] }
}
