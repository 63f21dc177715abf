/** Deletes a record or an entry. See docs/reference/records.md (Delete) and docs/reference/values.md (History). */

import type { Transaction } from '../../../db/connect'
import { deleteAttachments, deleteEntryAttachments } from '../../attachments/attachments'
import { insertRemovedEntry } from '../../attachments/insert-removed-entry'
import type { RequestContext } from '../../context'
import { type DataModel, type EntityType, type ListType, type ObjectType, SYSTEM_ACTOR } from '../../data-model/model'
import type { ChangeEvent } from '../../events/event-types'
import { eventOriginOf } from '../../events/outbox'
import { asOutboxWriter } from '../../events/outboxes/outbox-writers'
import { batchesWhere } from '../../storage/batches'
import { type AttributeChange, entityChange } from '../../storage/entity-change'
import { insertHistory } from '../../storage/history'
import { listsOf, PARENT_IS_ANY } from '../../storage/parent'
import { lockForDeletion, type StoredEntity } from '../../storage/read-entities'
import { deleteEntities, deleteSharedHistory, relationshipAttributes } from '../../storage/statements/delete-entities'
import { appendEntityEvents } from '../../storage/statements/outbox-step'
import { removeReferences } from '../relationships/remove-references'
import { entryDeletedEvent, eventsOfChange, joinRepeated, withoutRecords } from './change-events'
import { serialiseWrites } from './serialise-writes'

/**
 * Deletes a record, its unique keys, history, entries and attachments, and ends the values that refer to it. Change events
 * are those of the record, its entries, and the other sides of its relationships. `check` may refuse the deletion. Returns
 * false if the record does not exist. Throws `VersionConflict`.
 */
export async function deleteRecordEntity(
  context: RequestContext,
  object: ObjectType,
  id: string,
  check: (entity: StoredEntity) => void,
): Promise<boolean> {
  const { model } = context
  return serialiseWrites(context, async (tx) => {
    const [entity] = await lockForDeletion(tx, model, object, [id])
    if (!entity) return false
    check(entity)
    const stamp = { now: context.now(), actor: SYSTEM_ACTOR }
    const ofEntries = await deleteEntriesOf(tx, model, object, id)
    const ended = endedRelationships(model, object, entity)
    const events = eventsOfChange(model, object, entity, ended)
    await removeReferences({ tx, model, stamp, events }, object, id)
    await deleteEntities(tx, model, object, [entity])
    // The records on the other side still show when the relationship ended.
    await insertHistory(tx, model, entityChange(entity, ended, stamp)?.ended ?? [])
    await deleteSharedHistory(tx, model, object, id)
    await deleteAttachments(tx, model, [id])
    const deleted: ChangeEvent = { event_type: 'record.deleted', id: { object_id: object.id, record_id: id } }
    const all = [deleted, ...ofEntries, ...joinRepeated(withoutRecords(events, [id]))]
    await appendEntityEvents(tx, model, { origin: eventOriginOf(context, stamp.now), events: all })
    return true
  })
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
        await deleteEntities(tx, model, list, [entity])
        await deleteEntryAttachments(tx, model, [id])
        const removal = { at: context.now(), actor: context.actor }
        await insertRemovedEntry(tx, model, { ...entity, listId: list.id }, removal)
        const events = [entryDeletedEvent(list, entity)]
        await appendEntityEvents(tx, model, { origin: eventOriginOf(context, removal.at), events })
        return true
      }) as Promise<boolean>, // the driver's type for the callback's result is wider
  )
}

/** Deletes the entries of a record that is locked for deletion, so that no new ones appear. Returns their events. */
async function deleteEntriesOf(
  tx: Transaction,
  model: DataModel,
  object: ObjectType,
  id: string,
): Promise<ChangeEvent[]> {
  const events: ChangeEvent[] = []
  // Their threads name the record, so they are deleted with the record's.
  for (const list of listsOf(model, object)) {
    for await (const ids of batchesWhere(tx, list.table, PARENT_IS_ANY, [id])) {
      const entries = await lockForDeletion(tx, model, list, ids)
      await deleteEntities(tx, model, list, entries)
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
