/**
 * Merges two records into a new one. The single values of the primary are kept, those of the secondary are added where the primary has none, and multiple values are joined.
 * References to either record become references to the new one, which gets their attachments. Both originals are deleted, and can be restored.
 * See docs/reference/records.md (Merge).
 */

import type { Transaction } from '#db/connect'
import { moveAttachments } from '#engine/attachments/attachments'
import { MOVED_ATTACHMENTS, readMoved } from '#engine/attachments/merged-attachments'
import type { RequestContext } from '#context'
import type { Attribute, DataModel, ObjectType } from '#engine/data-model/model'
import { mergeRecordNotFound } from '#base/errors/records'
import { eventOriginOf } from '#engine/outbox/outbox'
import { newId } from '#base/ids'
import { lockEntities, lockForDeletion, listsOf } from '#engine/storage/read-entities'
import { deleteEntities, deleteSharedHistory } from '#engine/storage/statements/delete-entities'
import { insertMerge, moveEntries } from '#engine/storage/statements/merge-statements'
import { appendEntityEvents } from '#engine/storage/statements/outbox-step'
import { keepMovedParts, redirectTrashed } from '#engine/storage/trash/merged-records'
import { insertTexts } from '#engine/storage/trash/insert-parts'
import { expiryOf } from '#engine/storage/trash/move-to-trash'
import type { Micros } from '#base/timing/clock'
import { isOneToOne, updateEach, type WriteTransaction } from '#engine/entities/relationships/relationships'
import { addPartnerEvents, joinRepeated, withoutRecords } from '#engine/entities/write/change-events'
import {
  columnAttributes,
  insertMerged,
  type Merge,
  mergedValues,
  moveHistoryOfMerge,
  redirectValues,
} from './merge-values'
import { serialiseWrites } from '#engine/entities/write/retry-on-conflict'
import type { ChangeEvent } from '#vocabulary/event-types'
import type { DatedValue } from '#engine/storage/provenance'
import { entityTypeOf } from '#engine/data-model/find'
import { batchesReferringTo } from '#engine/storage/batches'
import { entityChange } from '#engine/storage/entity-change'
import { attributesReferringTo } from '#engine/storage/layout'
import {
  findReferringIds,
  redirectEndedReferences,
  redirectReferences,
} from '#engine/storage/statements/reference-statements'
import { updateLocked } from '#engine/storage/statements/update-entities'

/**
 * Merges in one transaction and returns the new record's id. Change events are the merge, once for each original, and
 * updates of the records that no longer have a relationship with either. Throws 404 `value_not_found` for a record that
 * does not exist, and `VersionConflict`.
 */
export async function mergeEntities(
  context: RequestContext,
  object: ObjectType,
  originals: readonly [primaryId: string, secondaryId: string],
  trashDays: number,
): Promise<string> {
  return serialiseWrites(context, async (tx) => {
    const merge = await lockOriginals(tx, context, object, originals)
    const stamp = { now: context.now(), actor: context.actor }
    const events = lostReferenceEvents(context.model, object, merge)
    const write = { tx, model: context.model, stamp, events }
    const expiresAt = trashDays > 0 ? expiryOf(stamp.now, trashDays) : undefined
    if (expiresAt !== undefined) await keepMoved(write, object, merge, expiresAt)
    await replaceOriginals(write, object, merge, expiresAt)
    const others = joinRepeated(withoutRecords(events, [...merge.ids, merge.newId]))
    await appendEntityEvents(tx, context.model, {
      origin: eventOriginOf(context, stamp.now),
      events: [...mergedEvents(object, merge), ...others],
    })
    return merge.newId
  })
}

async function lockOriginals(
  tx: Transaction,
  { model }: RequestContext,
  object: ObjectType,
  ids: readonly [string, string],
): Promise<Merge> {
  const locked = await lockForDeletion(tx, model, object, ids)
  const getOriginal = (id: string) => {
    const original = locked.find((entity) => entity.id === id)
    if (!original) throw mergeRecordNotFound(id)
    return original
  }
  return { primary: getOriginal(ids[0]), secondary: getOriginal(ids[1]), ids, newId: newId() }
}

/** The originals are deleted before the new record is inserted, which has their unique keys. */
async function replaceOriginals(
  write: WriteTransaction,
  object: ObjectType,
  merge: Merge,
  expiresAt: Micros | undefined,
): Promise<void> {
  const { tx, model, stamp } = write
  const lost = await findLostSelfReferences(tx, model, object, merge)
  await moveHistoryOfMerge(tx, model, object, merge)
  const deleted = { at: stamp.now, actor: stamp.actor }
  const trashed = expiresAt === undefined ? undefined : { deleted, expiresAt, mergedInto: merge.newId }
  await deleteEntities({ tx, model, trashed }, object, [merge.primary, merge.secondary])
  await insertMerged(tx, model, object, merge, lost)
  for (const list of listsOf(model, object)) await moveEntries(tx, model, list, merge, stamp)
  await moveReferences(write, object, merge)
  await moveAttachments(tx, model, merge)
  await deleteSharedHistory(tx, model, object, merge.ids)
  await insertMerge(tx, model, merge, stamp)
}

/** Stores what the merge is about to move, so that an original that is restored takes it back. */
async function keepMoved(
  { tx, model }: WriteTransaction,
  object: ObjectType,
  { ids, newId }: Merge,
  expiresAt: Micros,
): Promise<void> {
  await keepMovedParts(tx, model, object, ids)
  const parts = []
  for (const record_id of ids)
    parts.push({ record_id, kind: MOVED_ATTACHMENTS, content: await readMoved(tx, model, record_id, expiresAt) })
  await insertTexts(tx, model, parts)
  await redirectTrashed(tx, model, ids, newId)
}

// The change events of a merge. See docs/reference/webhooks-and-events.md (What causes what).

/** One event for each original. */
const mergedEvents = (object: ObjectType, { ids, newId }: Merge): ChangeEvent[] =>
  ids.map((id) => ({
    event_type: 'record.merged',
    id: { object_id: object.id, record_id: newId },
    duplicate_object_id: object.id,
    duplicate_record_id: id,
  }))

/** Updates of the records that an original refers to and the new record does not, as its value lost against the primary's. */
function lostReferenceEvents(model: DataModel, object: ObjectType, merge: Merge): ChangeEvent[] {
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

// Makes references to the two originals of a merge references to the new record. See docs/reference/records.md (Merge).

/**
 * The one-to-one attributes by which an original would refer to the new record, while a third record refers to an original:
 * only one record may refer to the new one.
 */
async function findLostSelfReferences(
  tx: Transaction,
  model: DataModel,
  object: ObjectType,
  { ids }: Merge,
): Promise<ReadonlySet<Attribute>> {
  const lost = new Set<Attribute>()
  for (const attribute of columnAttributes(object).filter((each) => isOneToOne(model, each))) {
    for (const id of ids) {
      const referring = await findReferringIds(tx, model, attribute, id)
      if (referring.some((each) => !ids.includes(each))) lost.add(attribute)
    }
  }
  return lost
}

async function moveReferences(write: WriteTransaction, object: ObjectType, merge: Merge): Promise<void> {
  const { tx, model, stamp } = write
  for (const attribute of attributesReferringTo(model, object)) {
    const ids = isOneToOne(model, attribute) ? [await keepOneReference(write, attribute, merge)] : merge.ids
    if (attribute.is_multiselect) await moveInLists(write, attribute, merge)
    else await redirectReferences(tx, model, attribute, merge, stamp)
    await redirectEndedReferences(tx, model, attribute, { ids, newId: merge.newId })
  }
}

/**
 * Removes the reference to the secondary of a one-to-one that both originals have. Returns the original whose ended
 * references the new record gets: the periods of two would overlap.
 */
async function keepOneReference(
  write: WriteTransaction,
  attribute: Attribute,
  { primary, secondary }: Merge,
): Promise<string> {
  const toPrimary = await findReferringIds(write.tx, write.model, attribute, primary.id)
  const toSecondary = await findReferringIds(write.tx, write.model, attribute, secondary.id)
  if (toPrimary.length > 0) await updateEach(write, attribute, toSecondary, () => [])
  return toPrimary.length === 0 && toSecondary.length > 0 ? secondary.id : primary.id
}

async function moveInLists(write: WriteTransaction, attribute: Attribute, merge: Merge): Promise<void> {
  for await (const ids of batchesReferringTo(write.tx, write.model, attribute, merge.ids))
    await moveInBatch(write, attribute, ids, merge)
}

/** Lists of references change in place. No value ends, so the history gets none. */
async function moveInBatch(
  { tx, model, stamp }: WriteTransaction,
  attribute: Attribute,
  ids: readonly string[],
  merge: Merge,
): Promise<void> {
  const entityType = entityTypeOf(model, attribute)
  const entities = await lockEntities(tx, model, entityType, ids, [attribute])
  const updates = entities.flatMap((entity) => {
    const before = entity.valuesOf(attribute)
    const after = redirectValues(attribute, before, merge)
    const change = entityChange(entity, [{ attribute, before, after }], stamp)
    return change === undefined ? [] : [{ entity, change: { ...change, ended: [] } }]
  })
  await updateLocked(tx, model, entityType, updates, stamp)
}
