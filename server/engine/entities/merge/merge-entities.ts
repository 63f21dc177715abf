/**
 * Merges two records into a new one. The single values of the primary are kept, those of the secondary are added where the primary has none, and multiple values are joined.
 * References to either record become references to the new one, which gets their attachments. Both originals are deleted, and can be restored.
 * See docs/reference/records.md (Merge).
 */
import { mergeRecordNotFound } from '#base/errors/records'
import { newId } from '#base/ids'
import type { Micros } from '#base/timing/clock'
import type { RequestContext } from '#context'
import type { Transaction } from '#db/connect'
import { moveAttachments } from '#engine/attachments/attachments'
import { MOVED_ATTACHMENTS, readMoved } from '#engine/attachments/merged-attachments'
import { attributeType } from '#engine/attribute-types/registry'
import { entityTypeOf } from '#engine/data-model/find'
import type { Attribute, DataModel, ObjectType, RecordType } from '#engine/data-model/model'
import { isOneToOne, updateEach, type WriteTransaction } from '#engine/entities/relationships/relationships'
import { addPartnerEvents, joinRepeated, withoutRecords } from '#engine/entities/write/change-events'
import { serialiseWrites } from '#engine/entities/write/retry-on-conflict'
import { eventOriginOf } from '#engine/outbox/outbox'
import { batchesReferringTo } from '#engine/storage/batches'
import { entityChange } from '#engine/storage/entity-change'
import { deleteHistory } from '#engine/storage/history'
import { attributesReferringTo } from '#engine/storage/layout'
import { type DatedValue, provenanceEntries, storedIn } from '#engine/storage/provenance'
import { listsOf, lockEntities, lockForDeletion, type StoredEntity } from '#engine/storage/read-entities'
import { deleteEntities, deleteSharedHistory } from '#engine/storage/statements/delete-entities'
import { insertEntity } from '#engine/storage/statements/insert-entities'
import { insertMerge, moveEntries, moveHistory } from '#engine/storage/statements/merge-statements'
import { appendEntityEvents } from '#engine/storage/statements/outbox-step'
import {
  findReferringIds,
  redirectEndedReferences,
  redirectReferences,
} from '#engine/storage/statements/reference-statements'
import { updateLocked } from '#engine/storage/statements/update-entities'
import { insertTexts } from '#engine/storage/trash/insert-parts'
import { keepMovedParts, redirectTrashed } from '#engine/storage/trash/merged-records'
import { expiryOf } from '#engine/storage/trash/move-to-trash'
import type { ChangeEvent } from '#vocabulary/event-types'

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

/** The two originals, their ids, and the id of the new record. */
interface Merge {
  readonly primary: StoredEntity
  readonly secondary: StoredEntity
  /** The primary's first. */
  readonly ids: readonly [string, string]
  readonly newId: string
}

export const columnAttributes = (object: RecordType): Attribute[] =>
  object.attributes.filter(({ stored_in }) => stored_in === 'columns')

/** Gives the new record the history of the originals, except that of a single value that lost against the primary's. */
async function moveHistoryOfMerge(tx: Transaction, model: DataModel, object: RecordType, merge: Merge): Promise<void> {
  const { primary, secondary } = merge
  for (const attribute of columnAttributes(object)) {
    const losing = primary.valuesOf(attribute).length > 0 ? secondary : primary
    if (!attribute.is_multiselect) await deleteHistory(tx, model, attribute, losing.id)
  }
  await moveHistory(tx, model, merge)
}

/** Inserts the new record, without references to itself by the attributes in `lost`. */
async function insertMerged(
  tx: Transaction,
  model: DataModel,
  object: RecordType,
  merge: Merge,
  lost: ReadonlySet<Attribute>,
): Promise<void> {
  const { created } = merge.primary.created.at <= merge.secondary.created.at ? merge.primary : merge.secondary
  const contents = columnAttributes(object)
    .map((attribute) => ({
      attribute,
      datedValues: withoutLost(attribute, mergedValues(attribute, merge), merge, lost),
    }))
    .filter(({ datedValues }) => datedValues.length > 0)
    .map(({ attribute, datedValues }) => {
      return { attribute, values: storedIn(datedValues), entries: provenanceEntries(datedValues, created) }
    })
  const entity = { id: merge.newId, created, contents }
  await insertEntity(tx, model, object, { entity, targets: [], answer: 'id' })
}

const withoutLost = (
  attribute: Attribute,
  datedValues: DatedValue[],
  { newId }: Merge,
  lost: ReadonlySet<Attribute>,
) => (lost.has(attribute) ? datedValues.filter(({ stored }) => stored.target_record_id !== newId) : datedValues)

/** The values of both, the primary's first. References to an original become references to the new record. */
function mergedValues(attribute: Attribute, merge: Merge): DatedValue[] {
  const first = merge.primary.valuesOf(attribute)
  const second = merge.secondary.valuesOf(attribute)
  if (!attribute.is_multiselect) return redirectValues(attribute, first.length > 0 ? first : second, merge)
  return redirectValues(attribute, [...first, ...second], merge)
}

/** Replaces references to the originals. Of values that become the same, the first stays. */
function redirectValues(
  attribute: Attribute,
  datedValues: readonly DatedValue[],
  { primary, secondary, newId }: Merge,
): DatedValue[] {
  const { key } = attributeType(attribute.type)
  const next = new Map<string, DatedValue>()
  for (const datedValue of datedValues) {
    const target = datedValue.stored.target_record_id
    const isToOriginal = target === primary.id || target === secondary.id
    const redirected = isToOriginal
      ? { ...datedValue, stored: { ...datedValue.stored, target_record_id: newId } }
      : datedValue
    const valueKey = key(redirected.stored)
    if (!next.has(valueKey)) next.set(valueKey, redirected)
  }
  return [...next.values()]
}
