/** Requests the look-ups and rollups that changes of records and entries concern. See docs/decisions/rollups.md. */

import type { Transaction } from '#db/connect'
import type { DataModel } from '#engine/data-model/model'
import { isRolledUp } from '#engine/rollups/definition'
import { type EntityChanges, requestRollups } from '#engine/rollups/requests'
import type { FeedReader, FollowedEvent } from './follow-feed'

/** Returns whether anything was requested. */
export async function requestChanged(
  tx: Transaction,
  events: readonly FollowedEvent[],
  { model, now }: Parameters<FeedReader>[2],
): Promise<boolean> {
  const changes = new Map<string, Changed>()
  for (const event of events) if (!isOfRollup(model, event)) addChange(changes, event)
  const since = events.reduce((oldest, { at }) => Math.min(oldest, at), now())
  const found = [...changes.values()].map((change) => ({ ...change, ids: [...change.ids], since }))
  return (await requestRollups(tx, model, found, now())) > 0
}

/** The worker that changed a tracked look-up or rollup has requested what follows. */
function isOfRollup({ attributesById }: DataModel, { id }: FollowedEvent): boolean {
  const attribute = attributesById.get(id.attribute_id ?? '')
  return attribute !== undefined && isRolledUp(attribute)
}

type Changed = Omit<EntityChanges, 'ids' | 'parents'> & {
  readonly ids: Set<string>
  readonly parents: { objectId: string; id: string }[]
}

/** Changes of the same attribute are one change of several entities. */
function addChange(changes: Map<string, Changed>, event: FollowedEvent): void {
  const { id, parent_object_id, parent_record_id, duplicate_record_id } = event
  const entityTypeId = id.list_id ?? id.activity_id ?? id.object_id
  const entityId = id.entry_id ?? id.record_id
  if (entityTypeId === undefined || entityId === undefined) return
  const key = `${entityTypeId} ${id.attribute_id}`
  const change = changes.get(key) ?? { entityTypeId, attributeId: id.attribute_id, ids: new Set(), parents: [] }
  changes.set(key, change)
  change.ids.add(entityId)
  // The references of an original are in the trash.
  if (duplicate_record_id !== undefined) change.ids.add(duplicate_record_id)
  if (parent_object_id !== undefined && parent_record_id !== undefined)
    change.parents.push({ objectId: parent_object_id, id: parent_record_id })
}
