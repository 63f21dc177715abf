/** Restores a record from the trash. See docs/reference/trash.md. */

import { ATTACHMENT_TABLES, type AttachmentRows, restoreAttachments } from '#engine/attachments/trashed-attachments'
import type { RequestContext } from '#context'
import type { DataModel, EntityType, RecordType } from '#engine/data-model/model'
import type { ChangeEvent } from '#vocabulary/event-types'
import { eventOriginOf } from '#engine/outbox/outbox'
import { batchesOf } from '#engine/storage/batches'
import type { Row } from '#engine/storage/layout'
import { isModelCurrent, VersionConflict } from '#engine/storage/preconditions'
import { storedIn } from '#engine/storage/provenance'
import { findRow, lockEntities, type StoredEntity, listsOf } from '#engine/storage/read-entities'
import { appendEntityEvents } from '#engine/storage/statements/outbox-step'
import {
  deleteParts,
  insertKeys,
  type ReadPart,
  readParts,
  restoreEntries,
  restoreHistory,
  restoreRow,
  type TrashHead,
} from '#engine/storage/trash/restore-rows'
import { uniqueKeys, type OwnedKey } from '#engine/storage/unique-keys'
import { undoMerge } from '#engine/entities/merge/undo-merge'
import type { WriteTransaction } from '#engine/entities/relationships/relationships'
import { eventsOfCreation, joinRepeated, withoutRecords } from '#engine/entities/write/change-events'
import { serialiseWrites } from '#engine/entities/write/retry-on-conflict'
import { restoreOwnReferences } from './restore-own-references'
import { restoreReferencesTo } from './restore-references'

/**
 * Restores a record with its history, entries, attachments, and the references to it. Change events are those of the creation
 * of the record and its entries, and of the other sides of its relationships. Returns the row for its renderer; undefined if
 * the record is not in the trash. Throws `VersionConflict` and `UniqueKeyConflict`.
 */
export async function restoreRecordEntity(
  context: RequestContext,
  object: RecordType,
  id: string,
): Promise<Row | undefined> {
  const { model } = context
  return serialiseWrites(context, async (tx) => {
    const stamp = { now: context.now(), actor: context.actor }
    const head = await restoreRow(tx, model, object, { id, stamp })
    if (!head) {
      if (!(await isModelCurrent(tx, model))) throw new VersionConflict()
      return undefined
    }
    const others: ChangeEvent[] = []
    const created = await restoreParts({ tx, model, stamp, events: others }, object, { id, ...head })
    const events = [...created, ...withoutRecords(others, [id])]
    await appendEntityEvents(tx, model, { origin: eventOriginOf(context, stamp.now), events: joinRepeated(events) })
    // Every table that this write concerns is locked now, so the data model stays as it is until the commit.
    if (!(await isModelCurrent(tx, model))) throw new VersionConflict()
    return findRow(tx, model, object, id)
  })
}

/** Returns the events of the creation of the record and its entries. */
async function restoreParts(
  write: WriteTransaction,
  object: RecordType,
  { id, mergedInto, deletedAt }: TrashHead & { readonly id: string },
): Promise<ChangeEvent[]> {
  const { tx, model, stamp } = write
  const parts = await readParts(tx, model, id)
  const entriesOfMerged =
    mergedInto === null ? undefined : await undoMerge(write, object, { id, mergedId: mergedInto, deletedAt }, parts)
  const lists = listsOf(model, object)
  const entriesByList = new Map<EntityType, string[]>()
  for (const list of lists) entriesByList.set(list, await restoreEntries(tx, model, list, { id, stamp }))
  await restoreHistory(tx, model, id)
  const created: ChangeEvent[] = []
  for (const [entityType, ids] of [[object, [id]] as const, ...entriesByList]) {
    for (const batch of batchesOf(ids)) created.push(...(await completeEntities(write, entityType, batch, parts)))
  }
  await insertKeys(tx, model, keysOfEntries(model, parts, entriesOfMerged))
  await restoreReferencesTo(write, { object, id }, parts)
  const attachments = attachmentsOf(parts)
  await restoreAttachments(tx, model, { recordId: id, attachments, lists: model.entityTypes.map((each) => each.id) })
  await deleteParts(tx, model, [id])
  return created
}

/** Gives inserted entities their unique keys, and drops references to records that no longer exist. */
async function completeEntities(
  write: WriteTransaction,
  entityType: EntityType,
  ids: readonly string[],
  parts: readonly ReadPart[],
): Promise<ChangeEvent[]> {
  const { tx, model } = write
  await restoreOwnReferences(write, entityType, await lockEntities(tx, model, entityType, ids), parts)
  const entities = await lockEntities(tx, model, entityType, ids)
  await insertKeys(tx, model, keysOf(entityType, entities))
  return entities.flatMap((entity) => eventsOfCreation(model, entityType, entity, contentsOf(entityType, entity)))
}

/** If the attribute became unique meanwhile, two entities may have the same value: the first one gets the key. */
function keysOf(entityType: EntityType, entities: readonly StoredEntity[]): OwnedKey[] {
  const keys = new Map<string, OwnedKey>()
  for (const entity of entities) {
    for (const { attribute, values } of contentsOf(entityType, entity)) {
      for (const key of uniqueKeys(attribute, values)) {
        const name = `${key.attribute} ${key.key}`
        if (!keys.has(name)) keys.set(name, { ...key, entity_id: entity.id })
      }
    }
  }
  return [...keys.values()]
}

const contentsOf = ({ attributes }: EntityType, entity: StoredEntity) =>
  attributes
    .filter(({ stored_in }) => stored_in === 'columns')
    .map((attribute) => ({ attribute, values: storedIn(entity.valuesOf(attribute)) }))

/** The keys of entries by their parent record. Left out are entries in deleted lists, and entries that a merge moved and that were deleted since. */
function keysOfEntries(
  model: DataModel,
  parts: readonly ReadPart[],
  takenBack: ReadonlySet<string> | undefined,
): OwnedKey[] {
  const attributes = new Set([...model.attributesById.values()].map(({ number }) => number))
  return parts
    .filter(({ kind }) => kind === 'keys')
    .flatMap(({ content }) => JSON.parse(content ?? '[]') as OwnedKey[]) // rows of the unique keys
    .filter(({ attribute, entity_id }) => attributes.has(attribute) && takenBack?.has(entity_id) !== false)
}

const attachmentsOf = (parts: readonly ReadPart[]): AttachmentRows[] =>
  ATTACHMENT_TABLES.flatMap((table) =>
    parts.flatMap(({ kind, content }) => (kind === table && content !== null ? [{ table, rows: content }] : [])),
  )
