/** See docs/reference/sql-queries.md (Requests of the console). */

import { type Static, Type } from 'typebox'
import { Name } from '#api/console/schemas'

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
export const MAX_HISTORY_SQL = 20_000

export const RanQueryBody = Type.Object({
  sql: SqlText(MAX_HISTORY_SQL),
  duration_ms: Count,
  row_count: Type.Union([Count, Type.Null()]),
})
export type RanQueryBody = Static<typeof RanQueryBody>

export interface SavedQueryItem {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly created_by: { readonly workspace_member_id: string; readonly first_name: string; readonly last_name: string }
  readonly created_at: string
  readonly updated_at: string
}

export interface SavedQueryOutput extends SavedQueryItem {
  readonly sql: string
}

export interface RanQueryOutput extends RanQueryBody {
  readonly id: string
  readonly ran_at: string
}
