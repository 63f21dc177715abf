/** The teams that a list is shared with. */

import { type Static, Type } from 'typebox'
import { ACCESS_LEVELS } from '#vocabulary/data-model'

const MAX_TEAMS = 500

export const ListTeamsBody = Type.Object({
  teams: Type.Array(Type.Object({ team_id: Type.String({ format: 'uuid' }), level: Type.Enum([...ACCESS_LEVELS]) }), {
    maxItems: MAX_TEAMS,
  }),
})
export type ListTeamsBody = Static<typeof ListTeamsBody>
