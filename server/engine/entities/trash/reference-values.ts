/** The values of references that the trash has. */

import { type DatedValue, datedValueAt, type Provenance, type Stamp } from '#engine/storage/provenance'
import type { StoredEntity } from '#engine/storage/read-entities'
import type { TrashedReference } from '#engine/storage/trash/move-to-trash'
import { timestampFromMicros } from '#base/timing/clock'

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
