/** See docs/reference/comments.md (Numbers of comments). */

import { type Static, Type } from 'typebox'
import { listOf } from '#api/console/schemas'

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
