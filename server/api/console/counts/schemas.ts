/** Numbers of what is attached to a record, and of comments. */
import { type Static, Type } from 'typebox'
import { answerOf, listOf } from '#api/console/schemas'

/** A larger number is this one: the page shows it as `99+`. */
export const MAX_COUNT = 100

export const RecordCountsQuery = Type.Object({
  object: Type.String({ minLength: 1, maxLength: 200 }),
  record_id: Type.String({ format: 'uuid' }),
})
export type RecordCountsQuery = Static<typeof RecordCountsQuery>

const Count = Type.Integer({ minimum: 0, maximum: MAX_COUNT })

export const RecordCountsAnswer = answerOf(Type.Object({ notes: Count, meetings: Count, files: Count }))
export type RecordCountsAnswer = Static<typeof RecordCountsAnswer>

/** A UUID and a comma have 37 characters. */
const MAX_ENTRIES = 100
const MAX_IDS_LENGTH = MAX_ENTRIES * 37

export const CommentCountsQuery = Type.Object({
  list: Type.String({ minLength: 1, maxLength: 200 }),
  entry_ids: Type.String({ maxLength: MAX_IDS_LENGTH }),
})
export type CommentCountsQuery = Static<typeof CommentCountsQuery>

export const CommentCountsAnswer = listOf(Type.Object({ entry_id: Type.String(), count: Type.Integer() }))
export type CommentCountsAnswer = Static<typeof CommentCountsAnswer>
