/** The schemas of search. See docs/reference/search.md (The search request). */

import { type Static, Type } from 'typebox'
import { STRICT } from '#engine/query/parse/schemas'

const Uuid = Type.String({ format: 'uuid' })

const Requester = Type.Union([
  Type.Object({ type: Type.Literal('workspace') }),
  Type.Object({ type: Type.Literal('workspace-member'), workspace_member_id: Uuid }),
  Type.Object({
    type: Type.Literal('workspace-member'),
    email_address: Type.String({ format: 'email', maxLength: 320 }),
  }),
])

export const SearchBody = Type.Object(
  {
    query: Type.String({ maxLength: 256 }),
    objects: Type.Array(Type.String(), {
      minItems: 1,
      description: 'Slugs or ids of objects and activities.',
    }),
    request_as: Requester,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 25, default: 25 })),
  },
  STRICT,
)
export type SearchBody = Static<typeof SearchBody>

export const SearchAnswer = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Type.Object({
        workspace_id: Uuid,
        object_id: Type.String({ format: 'uuid', description: 'The id of the object or of the activity.' }),
        record_id: Uuid,
      }),
      record_text: Type.String(),
      record_image: Type.Union([Type.String(), Type.Null()]),
      object_slug: Type.String(),
      email_addresses: Type.Optional(Type.Array(Type.String(), { description: 'Of people.' })),
      phone_numbers: Type.Optional(Type.Array(Type.String(), { description: 'Of people.' })),
      domains: Type.Optional(Type.Array(Type.String(), { description: 'Of companies.' })),
      timestamp: Type.Optional(Type.String({ format: 'date-time', description: 'Of records of activities.' })),
    }),
  ),
})
export type SearchAnswer = Static<typeof SearchAnswer>
