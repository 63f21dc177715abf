/** See docs/decisions/console.md (The page of a record). */

import { type Static, Type } from 'typebox'
import { answerOf } from '#api/console/schemas'

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
