/** Restores a record from the trash. See docs/reference/trash.md. */

import { ATTACHMENT_TABLES, type AttachmentRows, restoreAttachments } from '#engine/attachments/trashed-attachments'
import type { RequestContext } from '#context'
import { type Attribute, type DataModel, type EntityType, hasRecords, type RecordType } from '#engine/data-model/model'
import type { ChangeEvent } from '#vocabulary/event-types'
import { eventOriginOf } from '#engine/outbox/outbox'
import { batchesOf } from '#engine/storage/batches'
import { type Row, isRelationship, storesReferences } from '#engine/storage/layout'
import { isModelCurrent, VersionConflict } from '#engine/storage/preconditions'
import { storedIn, type DatedValue, explicitEntry } from '#engine/storage/provenance'
import { findRow, lockEntities, type StoredEntity, listsOf, lockExistingRecords } from '#engine/storage/read-entities'
import { requestRollups } from '#engine/rollups/requests'
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
  findTrashed,
  isResumed,
  resumeReferences,
} from '#engine/storage/trash/restore-rows'
import { uniqueKeys, type OwnedKey } from '#engine/storage/unique-keys'
import { undoMerge } from '#engine/entities/merge/undo-merge'
import { type WriteTransaction, isOneToOne } from '#engine/entities/relationships/relationships'
import { eventsOfCreation, joinRepeated, withoutRecords } from '#engine/entities/write/change-events'
import { serialiseWrites } from '#engine/entities/write/retry-on-conflict'
import { restoreReferencesTo, endedReference, newValue, referenceValue } from './restore-references'
import { type AttributeChange, entityChange, isChanged } from '#engine/storage/entity-change'
import { findReferringIds } from '#engine/storage/statements/reference-statements'
import { updateEntity } from '#engine/storage/statements/update-entities'
import { insertParts, type NewPart } from '#engine/storage/trash/insert-parts'
import type { TrashedReference } from '#engine/storage/trash/move-to-trash'

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
  // No change event says which entities no longer refer to the merged record.
  if (mergedInto !== null) {
    const change = { entityTypeId: object.id, ids: [mergedInto], attributeId: undefined }
    await requestRollups(tx, model, [change], stamp.now)
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

// Drops the values of restored entities that refer to records which no longer exist, and adds those that referred to records which
// were in the trash when the entity was deleted. A value whose record is still in the trash is restored with that record.

async function restoreOwnReferences(
  write: WriteTransaction,
  entityType: EntityType,
  entities: readonly StoredEntity[],
  parts: readonly ReadPart[],
): Promise<void> {
  const attributes = entityType.attributes.filter(storesReferences)
  if (attributes.length === 0) return
  const candidates = [...ownReferences(entities, attributes), ...earlierReferences(entities, attributes, parts)]
  const existing = await lockTargets(
    write,
    candidates.map(({ value }) => value),
  )
  for (const [entity, ofEntity] of Map.groupBy(candidates, (each) => each.entity)) {
    const changes: AttributeChange[] = []
    for (const [attribute, values] of Map.groupBy(ofEntity, (each) => each.attribute))
      changes.push(await restoreValues(write, entity, attribute, { values, existing }))
    await writeChanges(write, entityType, entity, changes)
  }
}

interface Candidate {
  readonly value: DatedValue
  readonly index: number
  /** Whether the row does not have the value. */
  readonly isEarlier: boolean
}

type OwnReference = Candidate & { readonly entity: StoredEntity; readonly attribute: Attribute }

const ownReferences = (entities: readonly StoredEntity[], attributes: readonly Attribute[]): OwnReference[] =>
  entities.flatMap((entity) =>
    attributes.flatMap((attribute) =>
      entity.valuesOf(attribute).map((value, index) => ({ value, index, isEarlier: false, entity, attribute })),
    ),
  )

function earlierReferences(
  entities: readonly StoredEntity[],
  attributes: readonly Attribute[],
  parts: readonly ReadPart[],
): OwnReference[] {
  return parts.flatMap((part) => {
    const attribute = attributes.find(({ number }) => number === part.attribute)
    if (part.kind !== 'own_references' || attribute === undefined) return []
    const references = JSON.parse(part.content ?? '[]') as TrashedReference[] // as they were inserted
    return references.flatMap((reference) => {
      const entity = entities.find(({ id }) => id === reference.entity_id)
      const { target_object = null, target_record_id = null } = reference
      if (!entity) return []
      return {
        ...referenceValue(entity, reference, { target_object, target_record_id }),
        isEarlier: true,
        entity,
        attribute,
      }
    })
  })
}

/** The ids of the records among the targets that exist. They cannot be deleted before the commit. */
async function lockTargets({ tx, model }: WriteTransaction, values: readonly DatedValue[]): Promise<Set<string>> {
  const existing = new Set<string>()
  const byObject = Map.groupBy(values, ({ stored }) => Number(stored.target_object))
  for (const [number, ofObject] of byObject) {
    const object = model.entityTypesByNumber.get(number)
    if (object === undefined || !hasRecords(object)) continue
    const ids = new Set(ofObject.map(({ stored }) => String(stored.target_record_id)))
    for (const id of await lockExistingRecords(tx, object, [...ids])) existing.add(id)
  }
  return existing
}

interface Candidates {
  readonly values: readonly Candidate[]
  readonly existing: ReadonlySet<string>
}

/** Decides which values stay. The ends of those that the deletion ended are deleted from the history. */
async function restoreValues(
  write: WriteTransaction,
  entity: StoredEntity,
  attribute: Attribute,
  { values, existing }: Candidates,
): Promise<AttributeChange> {
  const { tx, model } = write
  const before = values.flatMap(({ value, isEarlier }) => (isEarlier ? [] : [value]))
  const after: DatedValue[] = []
  const lost: Candidate[] = []
  for (const candidate of values) {
    const target = targetOf(candidate.value)
    if (!existing.has(target)) lost.push(candidate)
    else if (await isOpen(write, entity, attribute, { after, target }))
      after.splice(candidate.index, 0, candidate.value)
  }
  await keepForTrashed(write, entity, attribute, lost)
  const ended = after.map((value) => endedReference(entity.id, value))
  const resumed = await resumeReferences(tx, model, attribute, ended)
  const dated = after.map((value) => {
    const isBegun = before.includes(value) || isResumed(resumed, endedReference(entity.id, value))
    return isBegun ? value : newValue(value.stored, write.stamp)
  })
  return { attribute, before, after: dated }
}

/** Whether the attribute can have this value beside those of `after`, and no other entity has it in a one-to-one. */
async function isOpen(
  { tx, model }: WriteTransaction,
  entity: StoredEntity,
  attribute: Attribute,
  { after, target }: { readonly after: readonly DatedValue[]; readonly target: string },
): Promise<boolean> {
  if (after.some((value) => targetOf(value) === target)) return false
  if (!attribute.is_multiselect && after.length > 0) return false
  if (!isOneToOne(model, attribute)) return true
  const others = await findReferringIds(tx, model, attribute, target)
  return others.every((id) => id === entity.id)
}

/** Makes lost values part of the records that they refer to, where these are in the trash. */
async function keepForTrashed(
  { tx, model }: WriteTransaction,
  entity: StoredEntity,
  attribute: Attribute,
  lost: readonly Candidate[],
): Promise<void> {
  const trashed = await findTrashed(
    tx,
    model,
    lost.map(({ value }) => targetOf(value)),
  )
  const parts = lost
    .filter(({ value }) => trashed.has(targetOf(value)))
    .map(({ value, index }): NewPart => {
      const reference: TrashedReference = { entity_id: entity.id, entry: explicitEntry(value), index: finite(index) }
      return { record_id: targetOf(value), kind: 'references', attribute: attribute.number, content: [reference] }
    })
  await insertParts(tx, model, parts)
}

const finite = (index: number): number | null => (Number.isFinite(index) ? index : null)

/** The deletion has ended the lost values of relationships in the history already, so the history gets only those of other references. */
async function writeChanges(
  { tx, model, stamp }: WriteTransaction,
  entityType: EntityType,
  entity: StoredEntity,
  changes: readonly AttributeChange[],
): Promise<void> {
  const change = entityChange(entity, changes.filter(isChanged), stamp)
  if (!change) return
  const relationships = new Set(
    changes.flatMap(({ attribute }) => (isRelationship(model, attribute) ? [attribute.number] : [])),
  )
  const ended = change.ended.filter(({ attribute }) => !relationships.has(attribute))
  const { id, version } = entity
  await updateEntity(tx, model, entityType, { id, version, change: { ...change, ended }, stamp, targets: [] })
}

const targetOf = ({ stored }: DatedValue): string => String(stored.target_record_id)
