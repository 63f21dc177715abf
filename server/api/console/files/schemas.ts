/** See docs/reference/files.md (At the console). */

import { type Static, Type } from 'typebox'

export const StorageAnswer = Type.Object({
  data: Type.Object({
    /** The number of files of all records. */
    files: Type.Integer(),
    /** The bytes that they take. Bytes that several files have in common count once. */
    bytes: Type.Integer(),
  }),
})
export type StorageAnswer = Static<typeof StorageAnswer>
