/**
 * Merges two records into a new one. The single values of the primary are kept, those of the secondary are added where the primary has none, and multiple values are joined.
 * References to either record become references to the new one, which gets their attachments. Both originals are deleted, and can be restored.
 * See docs/reference/records.md (Merge).
 */

import type { Transaction } from '#db/connect'
import { moveAttachments } from '#engine/attachments/attachments'
import { MOVED_ATTACHMENTS, readMoved } from '#engine/attachments/merged-attachments'
import type { RequestContext } from '#context'
import type { ObjectType } from '#engine/data-model/model'
import { mergeRecordNotFound } from '#base/errors/records'
import { eventOriginOf } from '#engine/outbox/outbox'
import { newId } from '#base/ids'
import { listsOf } from '#engine/storage/parent'
import { lockForDeletion } from '#engine/storage/read-entities'
import { deleteEntities, deleteSharedHistory } from '#engine/storage/statements/delete-entities'
import { insertMerge, moveEntries } from '#engine/storage/statements/merge-statements'
import { appendEntityEvents } from '#engine/storage/statements/outbox-step'
import { keepMovedParts, redirectTrashed } from '#engine/storage/trash/keep-merged'
import { insertTexts } from '#engine/storage/trash/insert-parts'
import { expiryOf } from '#engine/storage/trash/move-to-trash'
import type { Micros } from '#base/timing/clock'
import type { WriteTransaction } from '#engine/entities/relationships/relationships'
import { joinRepeated, withoutRecords } from '#engine/entities/write/change-events'
import { lostReferenceEvents, mergedEvents } from './merge-events'
import { findLostSelfReferences, moveReferences } from './merge-references'
import { insertMerged, type Merge, moveHistoryOfMerge } from './merge-values'
import { serialiseWrites } from '#engine/entities/write/serialise-writes'

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
