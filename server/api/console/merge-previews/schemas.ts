/** The request of the preview of a merge. */

import { type Static, Type } from 'typebox'
import { answerOf } from '#api/console/schemas'
import { RecordOutput } from '#api/resources/records/schemas'

const Uuid = Type.String({ format: 'uuid' })

export const MergePreviewBody = Type.Object({
  /** Slug or id. */
  object: Type.String({ maxLength: 200 }),
  primary_record_id: Uuid,
  secondary_record_id: Uuid,
})
export type MergePreviewBody = Static<typeof MergePreviewBody>

/** The record that the merge would make. */
export const MergePreviewAnswer = answerOf(
  Type.Object({
    ...RecordOutput.properties,
    values: Type.Record(Type.String(), Type.Array(Type.Record(Type.String(), Type.Unknown()))),
  }),
)
