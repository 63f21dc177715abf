/** Finds the records that the body of a meeting names. See docs/reference/meetings.md (Linked records). */

import type { Transaction } from '#db/connect'
import { getTargetId } from '#engine/attribute-types/formats/references'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { unknownRecord } from '#base/errors/records'
import { lockExistingRecords } from '#engine/storage/find-records'
import type { MeetingLink } from './meeting'
import type { LinkedRecordInput } from './schemas'

/** Each record once. Throws 400 for an unknown or disabled object. */
export function parseLinkedRecords(model: DataModel, inputs: readonly LinkedRecordInput[]): MeetingLink[] {
  const links = inputs.map(({ object, record_id }) => ({
    objectId: getTargetId(model, object),
    recordId: record_id.toLowerCase(),
    isGiven: true,
  }))
  return [...new Map(links.map((link) => [link.recordId, link])).values()]
}

/** Locks the records against their deletion. Throws 400 for a record that does not exist. */
export async function lockLinkedRecords(
  tx: Transaction,
  model: DataModel,
  links: readonly MeetingLink[],
): Promise<void> {
  for (const [objectId, ofObject] of Map.groupBy(links, ({ objectId }) => objectId)) {
    const object = model.entityTypesById.get(objectId) as ObjectType // `getTargetId` found it in this model
    const ids = ofObject.map(({ recordId }) => recordId)
    const existing = await lockExistingRecords(tx, object, ids)
    const missing = ids.find((id) => !existing.has(id))
    if (missing !== undefined) throw unknownRecord(object.api_slug, missing)
  }
}
