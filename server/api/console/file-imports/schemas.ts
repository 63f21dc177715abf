/** The requests and answers of imports of email and calendar files at the console. */

import { type Static, Type } from 'typebox'
import type { RowProblem } from '#transfer/import/problems/row-problem'

/** The request body is the file. */
export const FileImportQuery = Type.Object({
  /** The extension decides how the file is read: `.eml`, `.mbox` or `.ics`. */
  file_name: Type.String({ minLength: 1, maxLength: 255 }),
  /** The id of the member whose mailbox or calendar it is. By default the signed-in member. */
  member: Type.Optional(Type.String({ maxLength: 200 })),
  /** Further addresses of the member, separated by commas. Emails from them are outbound. */
  addresses: Type.Optional(Type.String({ maxLength: 2000 })),
})
export type FileImportQuery = Static<typeof FileImportQuery>

export interface FileImportCounts {
  /** The number of messages or events. */
  readonly read: number
  /** The number of emails or meetings, like the next ones. A recurring event has several. */
  readonly created: number
  /** Only of meetings, like the next one. */
  readonly updated: number
  readonly deleted: number
  readonly unchanged: number
  readonly skipped: number
}

/** A line of the answer. The last one has another state than `running`. */
export interface FileImportProgress {
  readonly state: 'running' | 'finished' | 'failed'
  readonly counts: FileImportCounts
  /** The number of all problems. */
  readonly problem_count: number
  /** Up to 1,000 problems that no line before had, of the first 100,000. */
  readonly problems: readonly RowProblem[]
  /** Why the import failed. */
  readonly failure: string | null
}
