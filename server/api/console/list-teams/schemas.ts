/** The teams that a list is shared with. */

import { type Static, Type } from 'typebox'
import { listOf } from '#api/console/schemas'
import { ACCESS_LEVELS } from '#vocabulary/data-model'

const MAX_TEAMS = 500

const ListTeam = Type.Object({ team_id: Type.String({ format: 'uuid' }), level: Type.Enum([...ACCESS_LEVELS]) })
export type ListTeam = Static<typeof ListTeam>

export const ListTeamsBody = Type.Object({ teams: Type.Array(ListTeam, { maxItems: MAX_TEAMS }) })
export type ListTeamsBody = Static<typeof ListTeamsBody>

export const ListTeamsAnswer = listOf(ListTeam)
