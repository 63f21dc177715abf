/** The schemas of deleted objects and activities. See docs/reference/trash.md (Objects, Activities). */

import { type Static, Type } from 'typebox'
import { ACTOR_TYPES } from '#engine/attribute-types/actor-reference'

const Count = Type.Integer({ minimum: 0 })

/** What a dry run counts of objects and of activities. */
export const ownPartCounts = {
  records: Count,
  attributes: Count,
  attributes_of_others: Type.Integer({
    minimum: 0,
    description: 'Attributes elsewhere that can refer to these records only.',
  }),
}

const nullableText = Type.Union([Type.String(), Type.Null()])

/** A deleted object or activity, without its ids. */
export const deletedMembers = {
  api_slug: Type.String(),
  singular_noun: Type.String(),
  plural_noun: Type.String(),
  deleted_at: Type.String({ format: 'date-time' }),
  deleted_by_actor: Type.Object({ type: Type.Enum([...ACTOR_TYPES]), id: nullableText }),
  expires_at: Type.String({ format: 'date-time', description: 'From when on it cannot be restored.' }),
}

const DeletedNames = Type.Object(deletedMembers)
export type DeletedNames = Static<typeof DeletedNames>
