/**
 * Ends the references to a record that is being deleted. The trash keeps them with a record that can be restored.
 * See docs/reference/records.md (Delete).
 */

import { entityTypeOf } from '../../data-model/find'
import type { Attribute, ObjectType } from '../../data-model/model'
import { batchesReferringTo } from '../../storage/batches'
import { explicitEntry } from '../../storage/provenance'
import { attributesReferringTo, isRelationship } from '../../storage/references'
import { clearReferences } from '../../storage/statements/reference-statements'
import { insertParts } from '../../storage/trash/insert-parts'
import type { TrashedReference } from '../../storage/trash/move-to-trash'
import { updatedEvent } from '../write/change-events'
import { updateEach, type WriteTransaction } from './relationships'

/** The write that deletes a record, which is kept in the trash or not. */
export interface Removal extends WriteTransaction {
  readonly isTrashed: boolean
}

/** Ends every value that refers to the record, as the system. */
export async function removeReferences(write: Removal, object: ObjectType, id: string): Promise<void> {
  const { model, events } = write
  for (const attribute of attributesReferringTo(model, object)) {
    // Only relationships have change events. See docs/reference/webhooks-and-events.md (What causes what).
    const removal = { ...write, events: isRelationship(model, attribute) ? events : undefined }
    if (attribute.is_multiselect) await removeFromLists(removal, attribute, id)
    else await clearSingles(removal, attribute, id)
  }
}

async function removeFromLists(write: Removal, attribute: Attribute, id: string): Promise<void> {
  const { tx, model, isTrashed } = write
  for await (const entities of batchesReferringTo(tx, model, attribute, [id])) {
    const removed: TrashedReference[] = []
    await updateEach(write, attribute, entities, (datedValues, entity_id) => {
      const index = datedValues.findIndex(({ stored }) => stored.target_record_id === id)
      const value = datedValues[index]
      if (value) removed.push({ entity_id, entry: explicitEntry(value), index })
      return datedValues.filter((datedValue) => datedValue !== value)
    })
    const part = { record_id: id, kind: 'references', attribute: attribute.number, content: removed } as const
    if (isTrashed) await insertParts(tx, model, [part])
  }
}

async function clearSingles(
  { tx, model, stamp, events, isTrashed }: Removal,
  attribute: Attribute,
  id: string,
): Promise<void> {
  const entityType = entityTypeOf(model, attribute)
  const cleared = await clearReferences(tx, { model, stamp, isTrashed }, attribute, id)
  events?.push(...cleared.map((entity) => updatedEvent(entityType, entity, attribute, stamp.actor)))
}
