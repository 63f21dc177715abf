/** Ends the references to a record that is being deleted. See docs/reference/records.md (Delete). */

import { entityTypeOf } from '../../data-model/find'
import type { Attribute, ObjectType } from '../../data-model/model'
import { batchesReferringTo } from '../../storage/batches'
import { attributesReferringTo, isRelationship } from '../../storage/references'
import { clearReferences } from '../../storage/statements/reference-statements'
import { updatedEvent } from '../write/change-events'
import { updateEach, type WriteTransaction } from './relationships'

/** Ends every value that refers to the record, as the system. */
export async function removeReferences(write: WriteTransaction, object: ObjectType, id: string): Promise<void> {
  const { model, events } = write
  for (const attribute of attributesReferringTo(model, object)) {
    // Only relationships have change events. See docs/reference/webhooks-and-events.md (What causes what).
    const removal = { ...write, events: isRelationship(model, attribute) ? events : undefined }
    if (attribute.is_multiselect) await removeFromLists(removal, attribute, id)
    else await clearSingles(removal, attribute, id)
  }
}

async function removeFromLists(write: WriteTransaction, attribute: Attribute, id: string): Promise<void> {
  for await (const entities of batchesReferringTo(write.tx, write.model, attribute, [id])) {
    await updateEach(write, attribute, entities, (datedValues) =>
      datedValues.filter((datedValue) => datedValue.stored.target_record_id !== id),
    )
  }
}

async function clearSingles(
  { tx, model, stamp, events }: WriteTransaction,
  attribute: Attribute,
  id: string,
): Promise<void> {
  const entityType = entityTypeOf(model, attribute)
  const cleared = await clearReferences(tx, model, attribute, id, stamp)
  events?.push(...cleared.map((entity) => updatedEvent(entityType, entity, attribute, stamp.actor)))
}
