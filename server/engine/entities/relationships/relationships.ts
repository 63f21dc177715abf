/**
 * How a write of one side of a relationship changes other entities. A reference is stored once. A write of the side that
 * stores it changes no other entity, except in a one-to-one, where the entity that had the target loses it. A write of the
 * derived side changes the entities that store the references. See docs/reference/values.md (Relationships).
 */

import type { Transaction } from '#db/connect'
import { entityTypeOf, otherSideOf } from '#engine/data-model/find'
import { type Attribute, type DataModel, SYSTEM_ACTOR } from '#engine/data-model/model'
import type { ChangeEvent } from '#vocabulary/event-types'
import { batchesOf } from '#engine/storage/batches'
import { VersionConflict } from '#engine/storage/preconditions'
import type { Stamp, DatedValue } from '#engine/storage/provenance'
import { lockEntities, lockRow, type StoredEntity } from '#engine/storage/read-entities'
import { getPartner } from '#engine/storage/layout'
import { findReferringIds } from '#engine/storage/statements/reference-statements'
import { type AttributeChange, applyValues, entityChange, type MultiselectWrite } from '#engine/storage/entity-change'
import { updateLocked } from '#engine/storage/statements/update-entities'
import { eventsOfChange } from '#engine/entities/write/change-events'
import type { Assignment } from '#engine/entities/write/parse-values'

/** A transaction that writes in several steps. */
export interface WriteTransaction {
  readonly tx: Transaction
  readonly model: DataModel
  readonly stamp: Stamp
  /** Gathers the change events of the steps. Absent for changes without events. */
  readonly events?: ChangeEvent[]
}

/** Whether a write of this attribute may change other entities, and so needs several steps in a transaction. */
export function mayChangeOtherEntities(model: DataModel, attribute: Attribute): boolean {
  return attribute.stored_in === 'partner' || isOneToOne(model, attribute)
}

/** Whether both sides of an attribute's relationship have one value. */
export const isOneToOne = (model: DataModel, attribute: Attribute): boolean => {
  const partner = otherSideOf(model, attribute)
  return partner !== undefined && !partner.is_multiselect && !attribute.is_multiselect
}

/**
 * Removes one-to-one references to the new targets of `entityId` from the entities that have them. It locks the targets
 * first, so that two concurrent writers cannot both get one.
 */
export async function releaseTargets(
  write: WriteTransaction,
  entityId: string,
  assignments: readonly Assignment[],
): Promise<void> {
  const { tx, model } = write
  for (const { attribute, values } of assignments) {
    if (attribute.stored_in !== 'columns' || !isOneToOne(model, attribute)) continue
    const target = values[0]?.target_record_id
    const partner = otherSideOf(model, attribute)
    if (target === undefined || !partner) continue
    await lockRow(tx, entityTypeOf(model, partner), String(target))
    const others = (await findReferringIds(tx, model, attribute, String(target))).filter((id) => id !== entityId)
    await updateEach(write, attribute, others, () => [])
  }
}

/** Writes the derived side of a relationship: changes the entities that are to refer to `entityId`, or no longer do. */
export async function writeDerived(
  write: WriteTransaction,
  entityId: string,
  { attribute, values }: Assignment,
  multiselectWrite: MultiselectWrite,
): Promise<void> {
  const { tx, model, stamp } = write
  const stored = getPartner(model, attribute).attribute
  await lockRow(tx, entityTypeOf(model, attribute), entityId)
  const current = await findReferringIds(tx, model, stored, entityId)
  const requestedIds = [...new Set(values.map((value) => String(value.target_record_id)))]
  const appends = multiselectWrite === 'append' && attribute.is_multiselect
  const idsToUnlink = appends ? [] : current.filter((id) => !requestedIds.includes(id))
  const idsToLink = appends ? requestedIds.filter((id) => !current.includes(id)) : requestedIds
  await updateEach(write, stored, idsToUnlink, (datedValues) =>
    datedValues.filter((datedValue) => !refersTo(datedValue, entityId)),
  )
  const reference = { target_object: entityTypeOf(model, attribute).number, target_record_id: entityId }
  const otherSide = { ...stamp, writtenFromOtherSide: true }
  await updateEach(write, stored, idsToLink, (datedValues, { id }) => {
    const next = applyValues(stored, datedValues, [reference], 'append', otherSide)
    // The derived side shows the newest first, and stores no order. Ranks make it show the order that was sent.
    const rank = stamp.now - idsToLink.indexOf(id)
    return next.map((datedValue) =>
      refersTo(datedValue, entityId) && (datedValue.rank ?? datedValue.active_from) !== rank
        ? { ...datedValue, rank }
        : datedValue,
    )
  })
}

const refersTo = (datedValue: DatedValue, id: string): boolean => datedValue.stored.target_record_id === id

/** Changes one attribute of several entities. Throws `VersionConflict` if one of them was deleted. */
export async function updateEach(
  write: WriteTransaction,
  attribute: Attribute,
  ids: readonly string[],
  change: (datedValues: readonly DatedValue[], entity: StoredEntity) => readonly DatedValue[],
): Promise<void> {
  const { tx, model, stamp } = write
  for (const batch of batchesOf(ids)) {
    const entities = await lockEntities(tx, model, entityTypeOf(model, attribute), batch, [attribute])
    // The periods of values would overlap in an entity that was changed after the time of this write.
    const isLate = entities.some(({ updated }) => updated > stamp.now)
    if (isLate || entities.length < batch.length) throw new VersionConflict()
    const changes = entities.map((entity) => {
      const before = entity.valuesOf(attribute)
      return { entity, before, after: change(before, entity) }
    })
    await changeLocked(write, attribute, changes)
  }
}

interface LockedChange extends Omit<AttributeChange, 'attribute'> {
  readonly entity: StoredEntity
}

/** Writes the values of one attribute of entities that the transaction has locked. */
export async function changeLocked(
  { tx, model, stamp, events }: WriteTransaction,
  attribute: Attribute,
  changed: readonly LockedChange[],
): Promise<void> {
  const entityType = entityTypeOf(model, attribute)
  const updates = changed.flatMap(({ entity, before, after }) => {
    const change = entityChange(entity, [{ attribute, before, after }], stamp)
    return change === undefined ? [] : [{ entity, change }]
  })
  await updateLocked(tx, model, entityType, updates, stamp)
  if (events === undefined) return
  for (const { entity, before, after } of changed)
    events.push(...eventsOfChange(model, entityType, entity, [{ attribute, before, after }], SYSTEM_ACTOR))
}
