/** Deletes a record or an entry. See docs/reference/records.md (Delete), docs/reference/trash.md and docs/reference/values.md (History). */

import type { Transaction } from '../../../db/connect'
import { deleteAttachments, deleteEntryAttachments } from '../../attachments/attachments'
import { insertRemovedEntry } from '../../attachments/insert-removed-entry'
import { releaseTrashedFiles, trashAttachments } from '../../attachments/trashed-attachments'
import type { RequestContext } from '../../context'
import { type DataModel, type EntityType, type ListType, type ObjectType, SYSTEM_ACTOR } from '../../data-model/model'
import type { ChangeEvent } from '../../events/event-types'
import { eventOriginOf } from '../../events/outbox'
import { asOutboxWriter } from '../../events/outboxes/outbox-writers'
import { batchesWhere } from '../../storage/batches'
import { type AttributeChange, entityChange } from '../../storage/entity-change'
import { insertHistory } from '../../storage/history'
import { erasePreviousValues } from '../../storage/imports/import-updates'
import { listsOf, PARENT_IS_ANY } from '../../storage/parent'
import type { Stamp } from '../../storage/provenance'
import { lockForDeletion, type StoredEntity } from '../../storage/read-entities'
import { deleteEntities, deleteSharedHistory, relationshipAttributes } from '../../storage/statements/delete-entities'
import { appendEntityEvents } from '../../storage/statements/outbox-step'
import { insertTexts } from '../../storage/trash/insert-parts'
import { type Deletion, expiryOf } from '../../storage/trash/move-to-trash'
import { deleteAllHistory, deleteFromTrash } from '../../storage/trash/purge'
import { removeReferences } from '../relationships/remove-references'
import { entryDeletedEvent, eventsOfChange, joinRepeated, withoutRecords } from './change-events'
import { serialiseWrites } from './serialise-writes'

export interface RecordDeletion {
  /** May refuse the deletion. */
  readonly check: (entity: StoredEntity) => void
  /** For how many days the trash keeps the record; 0 for not at all. */
  readonly trashDays: number
}

/**
 * Deletes a record, its unique keys, history, entries and attachments, and ends the values that refer to it. All of this can be
 * restored from the trash. Change events are those of the record, its entries, and the other sides of its relationships. Returns
 * false if the record does not exist. Throws `VersionConflict`.
 */
export async function deleteRecordEntity(
  context: RequestContext,
  object: ObjectType,
  id: string,
  { check, trashDays }: RecordDeletion,
): Promise<boolean> {
  return serialiseWrites(context, async (tx) => {
    const [entity] = await lockForDeletion(tx, context.model, object, [id])
    if (!entity) return false
    check(entity)
    const now = context.now()
    const deleted = { at: now, actor: context.actor }
    const trashed = { recordId: id, deleted, expiresAt: expiryOf(now, trashDays) }
    const deletion = { tx, model: context.model, trashed: trashDays > 0 ? trashed : undefined }
    const events = await deleteLocked(deletion, object, entity, { now, actor: SYSTEM_ACTOR })
    await appendEntityEvents(tx, context.model, { origin: eventOriginOf(context, now), events })
    return true
  })
}

/** Returns the change events. `stamp` is that of changes of other records. */
async function deleteLocked(
  deletion: Deletion,
  object: ObjectType,
  entity: StoredEntity,
  stamp: Stamp,
): Promise<ChangeEvent[]> {
  const { tx, model, trashed } = deletion
  const { id } = entity
  const ofEntries = await deleteEntriesOf(deletion, object, id)
  const ended = endedRelationships(model, object, entity)
  const events = eventsOfChange(model, object, entity, ended)
  await removeReferences({ tx, model, stamp, events, isTrashed: trashed !== undefined }, object, id)
  await deleteEntities(deletion, object, [entity])
  // The records on the other side still show when the relationship ended.
  await insertHistory(tx, model, entityChange(entity, ended, stamp)?.ended ?? [])
  if (trashed === undefined) {
    await deleteSharedHistory(tx, model, object, [id])
    await deleteAttachments(tx, model, [id])
  } else {
    const attachments = await trashAttachments(tx, model, id, trashed.expiresAt)
    const parts = attachments.map(({ table, rows }) => ({ record_id: id, kind: table, content: rows }))
    await insertTexts(tx, model, parts)
  }
  const deleted: ChangeEvent = { event_type: 'record.deleted', id: { object_id: object.id, record_id: id } }
  return [deleted, ...ofEntries, ...joinRepeated(withoutRecords(events, [id]))]
}

/** Deletes an entry, but not its parent record. The rest is as in `deleteRecordEntity`. */
export async function deleteEntryEntity(
  context: RequestContext,
  list: ListType,
  id: string,
  check: (entity: StoredEntity) => void,
): Promise<boolean> {
  const { model, db } = context
  return asOutboxWriter(
    db,
    model.workspace.id,
    () =>
      db.sql.begin(async (tx) => {
        const [entity] = await lockForDeletion(tx, model, list, [id])
        if (!entity) return false
        check(entity)
        await deleteEntities({ tx, model }, list, [entity])
        await deleteEntryAttachments(tx, model, [id])
        const removal = { at: context.now(), actor: context.actor }
        await insertRemovedEntry(tx, model, { ...entity, listId: list.id }, removal)
        const events = [entryDeletedEvent(list, entity)]
        await appendEntityEvents(tx, model, { origin: eventOriginOf(context, removal.at), events })
        return true
      }) as Promise<boolean>, // the driver's type for the callback's result is wider
  )
}

/**
 * Deletes a record for good, also one that is in the trash. `erase` removes its values from elsewhere in the same transaction.
 * Returns false if the record neither exists nor is in the trash. Throws `VersionConflict`.
 */
export async function purgeRecordEntity(
  context: RequestContext,
  object: ObjectType,
  id: string,
  { check, erase }: RecordPurge,
): Promise<boolean> {
  const { model } = context
  return serialiseWrites(context, async (tx) => {
    const [entity] = await lockForDeletion(tx, model, object, [id])
    if (entity) {
      check(entity)
      const now = context.now()
      const events = await deleteLocked({ tx, model }, object, entity, { now, actor: SYSTEM_ACTOR })
      await appendEntityEvents(tx, model, { origin: eventOriginOf(context, now), events })
    } else {
      if ((await deleteFromTrash(tx, model, object, [id])).length === 0) return false
      await releaseTrashedFiles(tx, model.workspace.id, [id])
    }
    await deleteAllHistory(tx, model, id)
    await erasePreviousValues(tx, model, [id])
    await erase(tx)
    return true
  })
}

export interface RecordPurge extends Pick<RecordDeletion, 'check'> {
  readonly erase: (tx: Transaction) => Promise<void>
}

/** Deletes the entries of a record that is locked for deletion, so that no new ones appear. Returns their events. */
async function deleteEntriesOf(deletion: Deletion, object: ObjectType, id: string): Promise<ChangeEvent[]> {
  const { tx, model } = deletion
  const events: ChangeEvent[] = []
  // Their threads name the record, so they are deleted with the record's.
  for (const list of listsOf(model, object)) {
    for await (const ids of batchesWhere(tx, list.table, PARENT_IS_ANY, [id])) {
      const entries = await lockForDeletion(tx, model, list, ids)
      await deleteEntities(deletion, list, entries)
      for (const entry of entries) events.push(entryDeletedEvent(list, entry))
    }
  }
  return events
}

const endedRelationships = (model: DataModel, entityType: EntityType, entity: StoredEntity): AttributeChange[] =>
  relationshipAttributes(model, entityType).map((attribute) => ({
    attribute,
    before: entity.valuesOf(attribute),
    after: [],
  }))
