/** The change events of a merge. See docs/reference/webhooks-and-events.md (What causes what). */

import type { DataModel, ObjectType } from '#engine/data-model/model'
import type { ChangeEvent } from '#vocabulary/event-types'
import type { DatedValue } from '#engine/storage/provenance'
import { addPartnerEvents } from '#engine/entities/write/change-events'
import { columnAttributes, type Merge, mergedValues } from './merge-values'

/** One event for each original. */
export const mergedEvents = (object: ObjectType, { ids, newId }: Merge): ChangeEvent[] =>
  ids.map((id) => ({
    event_type: 'record.merged',
    id: { object_id: object.id, record_id: newId },
    duplicate_object_id: object.id,
    duplicate_record_id: id,
  }))

/** Updates of the records that an original refers to and the new record does not, as its value lost against the primary's. */
export function lostReferenceEvents(model: DataModel, object: ObjectType, merge: Merge): ChangeEvent[] {
  const events: ChangeEvent[] = []
  for (const attribute of columnAttributes(object)) {
    if (attribute.relationship_attribute_id === null) continue
    const before = [merge.primary, merge.secondary].flatMap((original) => original.valuesOf(attribute))
    const lost = targetsOf(before).difference(targetsOf(mergedValues(attribute, merge)))
    addPartnerEvents(events, model, attribute, lost)
  }
  return events
}

const targetsOf = (datedValues: readonly DatedValue[]): Set<string> =>
  new Set(datedValues.map(({ stored }) => String(stored.target_record_id)))
