/** Deletes records or entries. See docs/reference/records.md (Delete), docs/reference/trash.md and docs/reference/values.md (History). */

import type { Transaction } from '#db/connect'
import { deleteAttachments, deleteEntryAttachments, insertRemovedEntries } from '#engine/attachments/attachments'
import { releaseTrashedFiles, trashAttachments } from '#engine/attachments/trashed-attachments'
import type { RequestContext } from '#context'
import { type Attribute, type DataModel, type ListType, type RecordType, SYSTEM_ACTOR } from '#engine/data-model/model'
import type { ChangeEvent } from '#vocabulary/event-types'
import { asOutboxWriter, eventOriginOf } from '#engine/outbox/outbox'
import { batchesWhere, batchesReferringTo } from '#engine/storage/batches'
import { type AttributeChange, entityChange } from '#engine/storage/entity-change'
import { insertHistory } from '#engine/storage/history'
import { erasePreviousValues } from '#engine/storage/imports/imported-records'
import { lockForDeletion, type StoredEntity, listsOf, PARENT_IS_ANY } from '#engine/storage/read-entities'
import { deleteEntities, deleteSharedHistory, relationshipAttributes } from '#engine/storage/statements/delete-entities'
import { deleteMerges, readIds } from '#engine/storage/statements/entity-type-statements'
import { appendEntityEvents } from '#engine/storage/statements/outbox-step'
import { insertTexts, insertParts } from '#engine/storage/trash/insert-parts'
import { type Deletion, expiryOf, type TrashedReference } from '#engine/storage/trash/move-to-trash'
import { deleteAllHistory, deleteFromTrash, lockTrashed } from '#engine/storage/trash/purge'
import {
  entryDeletedEvent,
  eventsOfChange,
  joinRepeated,
  recordDeletedEvent,
  withoutRecords,
  updatedEvent,
} from './change-events'
import { serialiseWrites } from './retry-on-conflict'
import { entityTypeOf } from '#engine/data-model/find'
import { type DatedValue, explicitEntry } from '#engine/storage/provenance'
import { attributesReferringTo, isRelationship } from '#engine/storage/layout'
import { clearReferences, lockReferringLists } from '#engine/storage/statements/reference-statements'
import { updateEach, type WriteTransaction } from '#engine/entities/relationships/relationships'

export interface RecordDeletion {
  /** May refuse the deletion of a record, and so of all. */
  readonly check: (entity: StoredEntity) => void
  /** For how many days the trash keeps the records; 0 for not at all. */
  readonly trashDays: number
  /** Used for records that the trash does not keep. */
  readonly prepareErasure: PrepareErasure
}

/**
 * Reads of records that are about to be deleted for good what their erasure needs. The function that it returns is called after the
 * deletion, in the same transaction, and erases what other tables have of their values.
 */
export type PrepareErasure = (tx: Transaction, model: DataModel, ids: readonly string[]) => Promise<() => Promise<void>>

/**
 * Deletes records as if one request after the other deleted each, with their unique keys, history, entries and attachments, and
 * ends the values that refer to them. All of this can be restored from the trash. Change events are those of the record, its entries,
 * and the other sides of its relationships. Returns the ids of the records that existed. Throws `VersionConflict`.
 */
export async function deleteRecordEntities(
  context: RequestContext,
  object: RecordType,
  ids: readonly string[],
  { check, trashDays, prepareErasure }: RecordDeletion,
): Promise<ReadonlySet<string>> {
  const { model, actor } = context
  return serialiseWrites(context, async (tx) => {
    const locked = await lockForDeletion(tx, model, object, ids)
    if (locked.length === 0) return new Set()
    locked.forEach(check)
    const referring = await lockReferring(tx, model, object, idsOf(locked))
    const now = context.now()
    const trashed = trashDays > 0 ? { deleted: { at: now, actor }, expiresAt: expiryOf(now, trashDays) } : undefined
    const entities = new Map(locked.map((entity) => [entity.id, entity]))
    const inOrder = ids.flatMap((id) => entities.get(id) ?? [])
    const deleteAll = async () => {
      const events = await deleteLocked({ tx, model, trashed }, object, inOrder, {
        stamp: { now, actor: SYSTEM_ACTOR },
        referring,
      })
      await appendEntityEvents(tx, model, { origin: eventOriginOf(context, now), events })
    }
    if (trashed !== undefined) await deleteAll()
    else await eraseWith(prepareErasure, { tx, model, ids: [...entities.keys()] }, deleteAll)
    return new Set(entities.keys())
  })
}

const idsOf = (entities: readonly StoredEntity[]): string[] => entities.map(({ id }) => id)

/** Returns the change events. `stamp` is that of changes of other records. */
async function deleteLocked(
  deletion: Deletion,
  object: RecordType,
  entities: readonly StoredEntity[],
  { stamp, referring }: Pick<Removal, 'stamp' | 'referring'>,
): Promise<ChangeEvent[]> {
  const { tx, model, trashed } = deletion
  const ids = idsOf(entities)
  const eventsOfEntries = await deleteEntriesOf(deletion, object, ids)
  const ended = endedRelationships(model, object, entities)
  const eventsOf = new Map(
    ended.map(({ entity, changes }) => [entity.id, eventsOfChange(model, object, entity, changes)]),
  )
  await removeReferences({ tx, model, stamp, eventsOf, referring, isTrashed: trashed !== undefined }, object)
  await deleteEntities(deletion, object, entities)
  // The records on the other side still show when the relationship ended.
  const history = ended.flatMap(({ entity, changes }) => entityChange(entity, changes, stamp)?.ended ?? [])
  await insertHistory(tx, model, history)
  if (trashed === undefined) {
    await deleteSharedHistory(tx, model, object, ids)
    await deleteAttachments(tx, model, ids)
  } else {
    const attachments = await trashAttachments(tx, model, ids, trashed.expiresAt)
    const parts = attachments.map(({ recordId, table, rows }) => ({ record_id: recordId, kind: table, content: rows }))
    await insertTexts(tx, model, parts)
  }
  return [...eventsOf].flatMap(([id, events]) => {
    return [
      recordDeletedEvent(object, id),
      ...(eventsOfEntries.get(id) ?? []),
      ...joinRepeated(withoutRecords(events, [id])),
    ]
  })
}

/**
 * Deletes entries as if one request after the other deleted each, but not their parent records. The rest is as in
 * `deleteRecordEntities`.
 */
export async function deleteEntryEntities(
  context: RequestContext,
  list: ListType,
  ids: readonly string[],
  check: (entity: StoredEntity) => void,
): Promise<ReadonlySet<string>> {
  const { model, db } = context
  return asOutboxWriter(
    db,
    model.workspace.id,
    () =>
      db.sql.begin(async (tx) => {
        const locked = await lockForDeletion(tx, model, list, ids)
        locked.forEach(check)
        await deleteEntities({ tx, model }, list, locked)
        const entities = new Map(locked.map((entity) => [entity.id, entity]))
        await deleteEntryAttachments(tx, model, [...entities.keys()])
        const removal = { at: context.now(), actor: context.actor }
        await insertRemovedEntries(tx, model, { listId: list.id, entries: locked }, removal)
        const events = ids.flatMap((id) => entities.get(id) ?? []).map((entry) => entryDeletedEvent(list, entry))
        await appendEntityEvents(tx, model, { origin: eventOriginOf(context, removal.at), events })
        return new Set(entities.keys())
      }) as Promise<ReadonlySet<string>>, // the driver's type for the callback's result is wider
  )
}

/**
 * Deletes a record for good, also one that is in the trash. Returns false if the record neither exists nor is in the trash.
 * Throws `VersionConflict`.
 */
export async function purgeRecordEntity(
  context: RequestContext,
  object: RecordType,
  id: string,
  { check, prepareErasure }: Omit<RecordDeletion, 'trashDays'>,
): Promise<boolean> {
  const { model } = context
  return serialiseWrites(context, async (tx) => {
    const [entity] = await lockForDeletion(tx, model, object, [id])
    if (entity) check(entity)
    else if ((await lockTrashed(tx, model, object, [id])).length === 0) return false
    await eraseWith(prepareErasure, { tx, model, ids: [id] }, async () => {
      if (entity === undefined) return deleteFromTrash(tx, model, object, [id])
      const referring = await lockReferring(tx, model, object, [id])
      const now = context.now()
      const stamp = { now, actor: SYSTEM_ACTOR }
      const events = await deleteLocked({ tx, model }, object, [entity], { stamp, referring })
      await appendEntityEvents(tx, model, { origin: eventOriginOf(context, now), events })
    })
    return true
  })
}

interface ErasureOfPage {
  /** The last record of the page before. */
  readonly after: string
  readonly limit: number
  readonly prepareErasure: PrepareErasure
}

/**
 * Deletes a page of the records of a deleted object for good, also from the trash, without change events. Returns the last of
 * them, or undefined when no record is left. Throws `VersionConflict`.
 */
export async function eraseRecordsOf(
  context: RequestContext,
  object: RecordType,
  { after, limit, prepareErasure }: ErasureOfPage,
): Promise<string | undefined> {
  const { model } = context
  return serialiseWrites(context, async (tx) => {
    const ids = await readIds(tx, model, object, { after, limit })
    if (ids.length === 0) return undefined
    const locked = await lockForDeletion(tx, model, object, ids)
    const referring = await lockReferring(tx, model, object, idsOf(locked))
    const stamp = { now: context.now(), actor: SYSTEM_ACTOR }
    await eraseWith(prepareErasure, { tx, model, ids }, async () => {
      await deleteFromTrash(tx, model, object, ids)
      await deleteLocked({ tx, model }, object, locked, { stamp, referring })
      await deleteMerges(tx, model, ids)
    })
    return ids.at(-1)
  })
}

interface ErasedRecords {
  readonly tx: Transaction
  readonly model: DataModel
  readonly ids: readonly string[]
}

/** Every deletion for good: runs `deleteAll`, and erases what is left of the values of the records. */
export async function eraseWith(
  prepareErasure: PrepareErasure,
  { tx, model, ids }: ErasedRecords,
  deleteAll: () => Promise<void>,
): Promise<void> {
  const erase = await prepareErasure(tx, model, ids)
  await deleteAll()
  await releaseTrashedFiles(tx, model.workspace.id, ids)
  await deleteAllHistory(tx, model, ids)
  await erasePreviousValues(tx, model, ids)
  await erase()
}

/** Deletes the entries of records that are locked for deletion, so that no new ones appear. Returns their events by record. */
async function deleteEntriesOf(
  deletion: Deletion,
  object: RecordType,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ChangeEvent[]>> {
  const { tx, model } = deletion
  const events = new Map(ids.map((id): [string, ChangeEvent[]] => [id, []]))
  // Their threads name the record, so they are deleted with the record's.
  for (const list of listsOf(model, object)) {
    for await (const entryIds of batchesWhere(tx, list.table, PARENT_IS_ANY, ids)) {
      const entries = await lockForDeletion(tx, model, list, entryIds)
      await deleteEntities(deletion, list, entries)
      for (const entry of entries) events.get(entry.parentRecordId ?? '')?.push(entryDeletedEvent(list, entry))
    }
  }
  return events
}

interface EndedRelationships {
  readonly entity: StoredEntity
  readonly changes: readonly AttributeChange[]
}

/** The values of each record, without those that end when a record before it is deleted. */
function endedRelationships(
  model: DataModel,
  object: RecordType,
  entities: readonly StoredEntity[],
): EndedRelationships[] {
  const attributes = relationshipAttributes(model, object)
  const deleted = new Set<unknown>()
  return entities.map((entity) => {
    const changes = attributes.map((attribute) => {
      const before = entity.valuesOf(attribute).filter(({ stored }) => !deleted.has(stored.target_record_id))
      return { attribute, before, after: [] }
    })
    deleted.add(entity.id)
    return { entity, changes }
  })
}

// Ends the references to records that are being deleted. The trash keeps them with a record that can be restored.
// See docs/reference/records.md (Delete).

/**
 * Locks the entities whose lists of references have one of the records. A deletion reads its clock after that, so that no writer changes
 * one of the lists later than the deletion. Returns the attributes of these lists.
 */
async function lockReferring(
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
interface Removal extends Omit<WriteTransaction, 'events'> {
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
async function removeReferences(removal: Removal, object: RecordType): Promise<void> {
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
  const positions = new Map(ids.map((id, position): [unknown, number] => [id, position]))
  const positionOf = ({ stored }: DatedValue) => positions.get(stored.target_record_id) ?? Infinity
  const inOrderOfDeletion = (a: DatedValue, b: DatedValue) => positionOf(a) - positionOf(b)
  // Entries that refer to their own parent record are deleted by now.
  for await (const entities of batchesReferringTo(tx, model, attribute, ids)) {
    const removed = new Map<string, TrashedReference[]>()
    await updateEach({ tx, model, stamp }, attribute, entities, (datedValues, entity) => {
      const last = positions.get(entity.id) ?? ids.length
      let left = datedValues
      for (const value of datedValues.filter((each) => positionOf(each) <= last).sort(inOrderOfDeletion)) {
        const [before, id] = [left, String(value.stored.target_record_id)]
        left = left.filter((datedValue) => datedValue !== value)
        const reference = { entity_id: entity.id, entry: explicitEntry(value), index: before.indexOf(value) }
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
