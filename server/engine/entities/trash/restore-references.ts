/** Restores the values of other entities that referred to a record which is restored. See docs/reference/trash.md. */

import { entityTypeOf } from '#engine/data-model/find'
import { type Attribute, SYSTEM_ACTOR } from '#engine/data-model/model'
import { batchesOf } from '#engine/storage/batches'
import { lockEntities, type StoredEntity } from '#engine/storage/read-entities'
import { attributesReferringTo, isRelationship } from '#engine/storage/layout'
import type { TrashedReference } from '#engine/storage/trash/move-to-trash'
import {
  isResumed,
  keepReferencesOfTrashed,
  type ReadPart,
  readReferences,
  type RestoredRecord,
  restoreSingles,
  resumeReferences,
} from '#engine/storage/trash/restore-rows'
import { updatedEvent } from '#engine/entities/write/change-events'
import { isOneToOne, changeLocked, type WriteTransaction } from '#engine/entities/relationships/relationships'
import { type DatedValue, datedValueAt, type Provenance, type Stamp } from '#engine/storage/provenance'
import { timestampFromMicros } from '#base/timing/clock'

/** Restores them where the other entity exists, and its value is empty or one of several. Other values are dropped. */
export async function restoreReferencesTo(
  write: WriteTransaction,
  record: RestoredRecord,
  parts: readonly ReadPart[],
): Promise<void> {
  const { tx, model } = write
  const numbers = new Set(parts.flatMap(({ kind, attribute }) => (kind === 'references' ? [attribute] : [])))
  for (const attribute of attributesReferringTo(model, record.object)) {
    if (!numbers.has(attribute.number)) continue
    // Only relationships have change events. See docs/reference/webhooks-and-events.md (What causes what).
    const restoring = { ...write, events: isRelationship(model, attribute) ? write.events : undefined }
    if (attribute.is_multiselect) await restoreInLists(restoring, attribute, record)
    else await restoreInSingles(restoring, attribute, record)
    await keepReferencesOfTrashed(tx, model, attribute, record)
  }
}

async function restoreInSingles(
  { tx, model, stamp, events }: WriteTransaction,
  attribute: Attribute,
  record: RestoredRecord,
): Promise<void> {
  const restored = await restoreSingles(tx, model, attribute, {
    record,
    stamp,
    isOneToOne: isOneToOne(model, attribute),
  })
  const entityType = entityTypeOf(model, attribute)
  events?.push(...restored.map((entity) => updatedEvent(entityType, entity, attribute, SYSTEM_ACTOR)))
}

async function restoreInLists(write: WriteTransaction, attribute: Attribute, record: RestoredRecord): Promise<void> {
  const { tx, model } = write
  const references = await readReferences(tx, model, attribute, record.id)
  const byEntity = new Map(references.map((reference) => [reference.entity_id, reference]))
  for (const ids of batchesOf([...byEntity.keys()])) {
    const locked = await lockEntities(tx, model, entityTypeOf(model, attribute), ids, [attribute])
    const open = locked.flatMap((entity) => {
      const reference = byEntity.get(entity.id)
      const has = entity.valuesOf(attribute).some(({ stored }) => stored.target_record_id === record.id)
      return reference === undefined || has ? [] : [{ entity, reference }]
    })
    await addToLists(write, attribute, record, open)
  }
}

interface OpenReference {
  readonly entity: StoredEntity
  readonly reference: TrashedReference
}

async function addToLists(
  write: WriteTransaction,
  attribute: Attribute,
  { object, id }: RestoredRecord,
  open: readonly OpenReference[],
): Promise<void> {
  const { tx, model, stamp } = write
  const stored = { target_object: object.number, target_record_id: id }
  const earlier = open.map(({ entity, reference }) => ({ ...referenceValue(entity, reference, stored), entity }))
  const ended = earlier.map(({ value, entity }) => endedReference(entity.id, value))
  const resumed = await resumeReferences(tx, model, attribute, ended)
  const changed = earlier.map(({ value, index, entity }, position) => {
    const reference = ended[position]
    const isActive = reference !== undefined && isResumed(resumed, reference)
    const before = entity.valuesOf(attribute)
    return { entity, before, after: before.toSpliced(index, 0, isActive ? value : newValue(stored, stamp)) }
  })
  await changeLocked(write, attribute, changed)
}

// The values of references that the trash has.

/** The value as it was before the deletion, and its position. */
export const referenceValue = (
  entity: StoredEntity,
  { entry, index }: TrashedReference,
  stored: DatedValue['stored'],
): { value: DatedValue; index: number } => ({
  value: datedValueAt(
    stored,
    entry === null ? undefined : ([entry] as unknown as Provenance[string]),
    0,
    entity.created,
  ), // an entry of a provenance
  index: index ?? Infinity,
})

export const endedReference = (entity_id: string, { stored, active_from }: DatedValue) => ({
  entity_id,
  target_record_id: String(stored.target_record_id),
  active_from: timestampFromMicros(active_from),
})

export const newValue = (stored: DatedValue['stored'], { now, actor }: Stamp): DatedValue => ({
  stored,
  active_from: now,
  actor,
  writtenFromOtherSide: false,
})
