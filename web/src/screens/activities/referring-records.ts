/** Records of an activity that refer to a record of an object. */

import type { Filter } from '../../api/records/entities'
import { queryEntities } from '../../api/records/entities'
import type { ReferringActivity } from '../../state/referring-activities'

export interface RecordOfObject {
  readonly slug: string
  readonly recordId: string
}

/** The filter for records that refer to this one with at least one attribute. */
export const referringTo = (slugs: readonly string[], record: RecordOfObject): Filter => ({
  $or: slugs.map((slug) => ({ [slug]: targetOf(record) })),
})

/** The record as a value. */
export const targetOf = ({ slug, recordId }: RecordOfObject) => ({ target_object: slug, target_record_id: recordId })

export async function countReferring(
  { activity, slugs }: ReferringActivity,
  record: RecordOfObject,
  signal: AbortSignal,
): Promise<number> {
  const query = { filter: referringTo(slugs, record), fields: [], limit: 1, include_count: true }
  const { total } = await queryEntities({ kind: 'activities', slug: activity.api_slug }, query, signal)
  return total ?? 0
}
