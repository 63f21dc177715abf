/**
 * Ends the references to records that are being deleted. The trash keeps them with a record that can be restored.
 * See docs/reference/records.md (Delete).
 */

import type { Transaction } from '#db/connect'
import { entityTypeOf } from '#engine/data-model/find'
import { type Attribute, type DataModel, type RecordType, SYSTEM_ACTOR } from '#engine/data-model/model'
import type { ChangeEvent } from '#vocabulary/event-types'
import { batchesReferringTo } from '#engine/storage/batches'
import { explicitEntry } from '#engine/storage/provenance'
import { attributesReferringTo, isRelationship } from '#engine/storage/layout'
import { clearReferences, lockReferringLists } from '#engine/storage/statements/reference-statements'
import { insertParts } from '#engine/storage/trash/insert-parts'
import type { TrashedReference } from '#engine/storage/trash/move-to-trash'
import { eventsOfChange, updatedEvent } from '#engine/entities/write/change-events'
import { updateEach, type WriteTransaction } from './relationships'

/**
 * Locks the entities whose lists of references have one of the records. A deletion reads its clock after that, so that no writer changes
 * one of the lists later than the deletion. Returns the attributes of these lists.
 */
export async function lockReferring(
  tx: Transaction,
  model: DataModel,
  object: RecordType,
  ids: readonly string[],
): Promise<ReadonlySet<Attribute>> {
  const referring = new Set<Attribute>()
  for (const attribute of attributesReferringTo(model, object).filter(({ is_multiselect }) => is_multiselect)) {
    if (await lockReferringLists(tx, model, attribute, ids)) referring.add(attribute)
  }
  return referring
}

/** The write that deletes records, which are kept in the trash or not. */
export interface Removal extends Omit<WriteTransaction, 'events'> {
  /** The change events of each record, in the order in which the records are deleted. The removal adds its own. */
  readonly eventsOf: ReadonlyMap<string, ChangeEvent[]>
  /** The attributes with lists that have one of the records. The entities are locked. */
  readonly referring: ReadonlySet<Attribute>
  readonly isTrashed: boolean
}

/**
 * Ends every value that refers to one of the records, as the system. A record keeps its references to records that are deleted
 * after it.
 */
export async function removeReferences(removal: Removal, object: RecordType): Promise<void> {
  const { model, eventsOf, referring } = removal
  if (eventsOf.size === 0) return
  for (const attribute of attributesReferringTo(model, object)) {
    if (referring.has(attribute)) await removeFromLists(removal, attribute)
    else if (!attribute.is_multiselect) await clearSingles(removal, attribute)
  }
}

async function removeFromLists(removal: Removal, attribute: Attribute): Promise<void> {
  const { tx, model, stamp, eventsOf, isTrashed } = removal
  const entityType = entityTypeOf(model, attribute)
  const ids = [...eventsOf.keys()]
  // Entries that refer to their own parent record are deleted by now.
  for await (const entities of batchesReferringTo(tx, model, attribute, ids)) {
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
