/** The teams of a workspace, and those that a list is shared with. */
import { type Static, Type } from 'typebox'
import { answerOf, listOf, Name, Timestamp } from '#api/console/schemas'
import { ACCESS_LEVELS } from '#vocabulary/data-model'

export const TeamBody = Type.Object({ name: Name })
export type TeamBody = Static<typeof TeamBody>

const TeamOutput = Type.Object({
  id: Type.String(),
  name: Type.String(),
  created_at: Timestamp,
  member_ids: Type.Array(Type.String()),
  /** The email addresses of invited people, who join the team when they accept. */
  invited: Type.Array(Type.String()),
})
export type TeamOutput = Static<typeof TeamOutput>

export const TeamsAnswer = listOf(TeamOutput)
export const NewTeamAnswer = answerOf(Type.Object({ id: Type.String(), name: Type.String() }))

const MAX_TEAMS = 500

const ListTeam = Type.Object({ team_id: Type.String({ format: 'uuid' }), level: Type.Enum([...ACCESS_LEVELS]) })
export type ListTeam = Static<typeof ListTeam>

export const ListTeamsBody = Type.Object({ teams: Type.Array(ListTeam, { maxItems: MAX_TEAMS }) })
export type ListTeamsBody = Static<typeof ListTeamsBody>

export const ListTeamsAnswer = listOf(ListTeam)
