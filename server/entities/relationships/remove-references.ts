/**
 * Ends the references to records that are being deleted. The trash keeps them with a record that can be restored.
 * See docs/reference/records.md (Delete).
 */

import type { Transaction } from '../../../db/connect'
import { entityTypeOf } from '../../data-model/find'
import { type Attribute, type DataModel, type ObjectType, SYSTEM_ACTOR } from '../../data-model/model'
import type { ChangeEvent } from '../../events/event-types'
import { BATCH_SIZE, batchesReferringTo } from '../../storage/batches'
import { explicitEntry } from '../../storage/provenance'
import { attributesReferringTo, isRelationship } from '../../storage/references'
import { clearReferences, lockReferringIds } from '../../storage/statements/reference-statements'
import { insertParts } from '../../storage/trash/insert-parts'
import type { TrashedReference } from '../../storage/trash/move-to-trash'
import { eventsOfChange, updatedEvent } from '../write/change-events'
import { updateEach, type WriteTransaction } from './relationships'

/** The ids of the entities that refer to the records, by attribute. Of more than a batch of them, those of the first one and one more. */
export type ReferringIds = ReadonlyMap<Attribute, readonly string[]>

/**
 * Locks the entities whose lists of references have one of the records. A deletion reads its clock after that, so that no writer changes
 * one of the lists later than the deletion.
 */
export async function lockReferring(
  tx: Transaction,
  model: DataModel,
  object: ObjectType,
  ids: readonly string[],
): Promise<ReferringIds> {
  const referring = new Map<Attribute, readonly string[]>()
  for (const attribute of attributesReferringTo(model, object).filter(({ is_multiselect }) => is_multiselect)) {
    referring.set(attribute, await lockReferringIds(tx, model, attribute, { targetIds: ids, limit: BATCH_SIZE + 1 }))
  }
  return referring
}

/** The write that deletes records, which are kept in the trash or not. */
export interface Removal extends Omit<WriteTransaction, 'events'> {
  /** The change events of each record, in the order in which the records are deleted. The removal adds its own. */
  readonly eventsOf: ReadonlyMap<string, ChangeEvent[]>
  /** The entities that are locked. */
  readonly referring: ReferringIds
  readonly isTrashed: boolean
}

/**
 * Ends every value that refers to one of the records, as the system. A record keeps its references to records that are deleted
 * after it.
 */
export async function removeReferences(removal: Removal, object: ObjectType): Promise<void> {
  const { model, eventsOf } = removal
  if (eventsOf.size === 0) return
  for (const attribute of attributesReferringTo(model, object)) {
    if (attribute.is_multiselect) await removeFromLists(removal, attribute)
    else await clearSingles(removal, attribute)
  }
}

async function removeFromLists(removal: Removal, attribute: Attribute): Promise<void> {
  const { tx, model, stamp, eventsOf, referring, isTrashed } = removal
  const entityType = entityTypeOf(model, attribute)
  const ids = [...eventsOf.keys()]
  const found = referring.get(attribute) ?? []
  const batches = found.length > BATCH_SIZE ? batchesReferringTo(tx, model, attribute, ids) : [found]
  for await (const entities of batches) {
    if (entities.length === 0) continue
    const removed = new Map<string, TrashedReference[]>()
    await updateEach({ tx, model, stamp }, attribute, entities, (datedValues, entity) => {
      const ownPosition = ids.indexOf(entity.id)
      let left = datedValues
      for (const id of ownPosition < 0 ? ids : ids.slice(0, ownPosition + 1)) {
        const index = left.findIndex(({ stored }) => stored.target_record_id === id)
        const value = left[index]
        if (value === undefined) continue
        const before = left
        left = left.filter((datedValue) => datedValue !== value)
        const reference = { entity_id: entity.id, entry: explicitEntry(value), index }
        removed.set(id, [...(removed.get(id) ?? []), reference])
        if (!isRelationship(model, attribute)) continue
        const change = { attribute, before, after: left }
        eventsOf.get(id)?.push(...eventsOfChange(model, entityType, entity, [change], SYSTEM_ACTOR))
      }
      return left
    })
    const { number } = attribute
    const parts = [...removed].map(([record_id, content]) => ({
      record_id,
      kind: 'references',
      attribute: number,
      content,
    }))
    if (isTrashed) await insertParts(tx, model, parts)
  }
}

async function clearSingles(removal: Removal, attribute: Attribute): Promise<void> {
  const { tx, model, stamp, eventsOf } = removal
  const entityType = entityTypeOf(model, attribute)
  const cleared = await clearReferences(tx, removal, attribute, [...eventsOf.keys()])
  // Only relationships have change events. See docs/reference/webhooks-and-events.md (What causes what).
  if (!isRelationship(model, attribute)) return
  for (const { id, target_record_id } of cleared) {
    eventsOf.get(target_record_id)?.push(updatedEvent(entityType, { id }, attribute, stamp.actor))
  }
}
