/** The access of members and teams to an object. */

import { type Static, Type } from 'typebox'
import { OBJECT_ACCESS } from '#vocabulary/data-model'
import { answerOf, listOf } from '#api/console/schemas'

const MAX_TEAMS = 500

const Access = Type.Enum([...OBJECT_ACCESS])

export const ObjectAccessBody = Type.Object({
  members: Access,
  teams: Type.Array(Type.Object({ team_id: Type.String({ format: 'uuid' }), access: Access }), { maxItems: MAX_TEAMS }),
})
export type ObjectAccessBody = Static<typeof ObjectAccessBody>

/** The access of the signed-in member to an object that is not hidden, and for admins what all have. */
const OwnObjectAccess = Type.Object({
  object_id: Type.String(),
  access: Access,
  grants: Type.Optional(ObjectAccessBody),
})
export type OwnObjectAccess = Static<typeof OwnObjectAccess>

/** `never_used` has the ids of objects and activities that never had a record. */
export const OwnObjectAccessAnswer = Type.Object({
  ...listOf(OwnObjectAccess).properties,
  never_used: Type.Array(Type.String()),
})
export type OwnObjectAccessAnswer = Static<typeof OwnObjectAccessAnswer>
export const ObjectAccessAnswer = answerOf(ObjectAccessBody)
