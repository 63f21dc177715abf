/** The request of the preview of a merge. */

import { type Static, Type } from 'typebox'

const Uuid = Type.String({ format: 'uuid' })

export const MergePreviewBody = Type.Object({
  /** Slug or id. */
  object: Type.String({ maxLength: 200 }),
  primary_record_id: Uuid,
  secondary_record_id: Uuid,
})
export type MergePreviewBody = Static<typeof MergePreviewBody>
