/** The access of members and teams to an object. */

import { type Static, Type } from 'typebox'
import { OBJECT_ACCESS } from '#vocabulary/data-model'

const MAX_TEAMS = 500

const Access = Type.Enum([...OBJECT_ACCESS])

export const ObjectAccessBody = Type.Object({
  members: Access,
  teams: Type.Array(Type.Object({ team_id: Type.String({ format: 'uuid' }), access: Access }), { maxItems: MAX_TEAMS }),
})
export type ObjectAccessBody = Static<typeof ObjectAccessBody>
