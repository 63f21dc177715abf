/** The pictures of records. See docs/reference/records.md (Pictures). */

import { type Static, Type } from 'typebox'
import { listOf, nullable } from '#api/console/schemas'

const MAX_RECORDS = 100
const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'

export const RecordPicturesQuery = Type.Object({
  /** Ids of records, with commas between them. */
  record_ids: Type.String({ pattern: `^${UUID}(?:,${UUID}){0,${MAX_RECORDS - 1}}$` }),
})
export type RecordPicturesQuery = Static<typeof RecordPicturesQuery>

const RecordPicture = Type.Object({
  record_id: Type.String(),
  /** The path of the picture; null while it is being fetched. */
  path: nullable(Type.String()),
  is_uploaded: Type.Boolean(),
})
export type RecordPicture = Static<typeof RecordPicture>

/** Without records that have no picture. */
export const RecordPicturesAnswer = listOf(RecordPicture)
