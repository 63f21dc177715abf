/** The records that a member follows. See docs/reference/records.md (Following). */

import { type Static, Type } from 'typebox'
import { listOf, Timestamp } from '#api/console/schemas'

/** With `record_id`, whether the member follows this one record. */
export const FollowedRecordsQuery = Type.Object({
  record_id: Type.Optional(Type.String({ format: 'uuid' })),
})
export type FollowedRecordsQuery = Static<typeof FollowedRecordsQuery>

const FollowedRecord = Type.Object({
  object_id: Type.String(),
  object_slug: Type.String(),
  record_id: Type.String(),
  followed_at: Timestamp,
})
export type FollowedRecord = Static<typeof FollowedRecord>

export const FollowedRecordsAnswer = listOf(FollowedRecord)
