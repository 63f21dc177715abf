/** Restores the values of other entities that referred to a record which is restored. See docs/reference/trash.md. */

import { entityTypeOf } from '#engine/data-model/find'
import type { Attribute } from '#engine/data-model/model'
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
  resumeReferences,
} from '#engine/storage/trash/restore-rows'
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
    await restoreIn(restoring, attribute, record)
    await keepReferencesOfTrashed(tx, model, attribute, record)
  }
}

async function restoreIn(write: WriteTransaction, attribute: Attribute, record: RestoredRecord): Promise<void> {
  const { tx, model } = write
  const references = await readReferences(tx, model, attribute, record.id)
  const byEntity = new Map(references.map((reference) => [reference.entity_id, reference]))
  const isSingle = isOneToOne(model, attribute)
  const candidates: OpenReference[] = []
  for (const ids of batchesOf([...byEntity.keys()])) {
    const locked = await lockEntities(tx, model, entityTypeOf(model, attribute), ids, [attribute])
    const open = locked.flatMap((entity) => {
      const reference = byEntity.get(entity.id)
      return reference && isOpen(attribute, entity, record) ? [{ entity, reference }] : []
    })
    if (isSingle) candidates.push(...open)
    else await addValues(write, attribute, record, open)
  }
  // Only one entity may have such a reference: the one that had it last.
  const last = references.flatMap((reference) => candidates.find((each) => each.reference === reference) ?? [])[0]
  if (last) await addValues(write, attribute, record, [last])
}

/** Whether the attribute is empty, or one of several values that does not refer to the record. */
function isOpen(attribute: Attribute, entity: StoredEntity, { id }: RestoredRecord): boolean {
  const values = entity.valuesOf(attribute)
  return attribute.is_multiselect ? !values.some(({ stored }) => stored.target_record_id === id) : values.length === 0
}

interface OpenReference {
  readonly entity: StoredEntity
  readonly reference: TrashedReference
}

async function addValues(
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
