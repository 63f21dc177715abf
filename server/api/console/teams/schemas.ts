/** The body of a request that creates or renames a team. */

import { type Static, Type } from 'typebox'
import { Name, answerOf, listOf, Timestamp } from '#api/console/schemas'

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
