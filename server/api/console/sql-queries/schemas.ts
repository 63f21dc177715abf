/** See docs/reference/sql-queries.md (Requests of the console). */

import { type Static, Type } from 'typebox'
import { answerOf, Creator, listOf, Name, Timestamp } from '#api/console/schemas'

/** The longest text that `POST /v2/sql` accepts, in characters. */
const MAX_SQL = 100_000

/** A text with a visible character. */
const SqlText = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '\\S' })

export const SavedQueryBody = Type.Object({ name: Name, sql: SqlText(MAX_SQL) })
export type SavedQueryBody = Static<typeof SavedQueryBody>

export const SavedQueryChangeBody = Type.Object({
  ...SavedQueryBody.properties,
  version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
})
export type SavedQueryChangeBody = Static<typeof SavedQueryChangeBody>

const Count = Type.Integer({ minimum: 0, maximum: 2_147_483_647 })

/** The history leaves out longer texts, so that a page of it stays small. */
const MAX_HISTORY_SQL = 20_000

export const RanQueryBody = Type.Object({
  sql: SqlText(MAX_HISTORY_SQL),
  duration_ms: Count,
  row_count: Type.Union([Count, Type.Null()]),
})
export type RanQueryBody = Static<typeof RanQueryBody>

const SavedQueryItem = Type.Object({
  id: Type.String(),
  name: Type.String(),
  version: Type.Integer(),
  created_by: Creator,
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type SavedQueryItem = Static<typeof SavedQueryItem>

const SavedQueryOutput = Type.Object({ ...SavedQueryItem.properties, sql: Type.String() })
export type SavedQueryOutput = Static<typeof SavedQueryOutput>

export const SavedQueriesAnswer = listOf(SavedQueryItem)
export const SavedQueryAnswer = answerOf(SavedQueryOutput)
export type SavedQueryAnswer = Static<typeof SavedQueryAnswer>

const RanQueryOutput = Type.Object({ ...RanQueryBody.properties, id: Type.String(), ran_at: Timestamp })
export type RanQueryOutput = Static<typeof RanQueryOutput>

export const HistoryAnswer = listOf(RanQueryOutput)
