/** The requests and answers of imports of email and calendar files at the console. */

import { type Static, Type } from 'typebox'
import { answerOf, nullable } from '#api/console/schemas'

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

const FileImportCounts = Type.Object({
  /** The number of messages or events. */
  read: Type.Integer(),
  /** The number of emails or meetings, like the next ones. A recurring event has several. */
  created: Type.Integer(),
  /** Only of meetings, like the next one. */
  updated: Type.Integer(),
  deleted: Type.Integer(),
  unchanged: Type.Integer(),
  skipped: Type.Integer(),
})
export type FileImportCounts = Static<typeof FileImportCounts>

/** A line of the answer. The last one has another state than `running`. */
export const FileImportProgress = Type.Object({
  state: Type.Enum(['running', 'finished', 'failed']),
  counts: FileImportCounts,
  /** The number of all problems. */
  problem_count: Type.Integer(),
  /** Up to 1,000 problems that no line before had, of the first 100,000. */
  problems: Type.Array(
    Type.Object({
      column: Type.String(),
      value: Type.String(),
      reason: Type.String(),
      line: Type.Integer(),
      /** Whether the import skipped the whole item or left out one value. */
      outcome: Type.Enum(['skipped', 'left out']),
    }),
  ),
  /** Why the import failed. */
  failure: nullable(Type.String()),
})
export type FileImportProgress = Static<typeof FileImportProgress>

/** The maximum size of a file, in bytes. */
export const LargestFileAnswer = answerOf(Type.Object({ largest_file: Type.Integer() }))
export type LargestFileAnswer = Static<typeof LargestFileAnswer>
