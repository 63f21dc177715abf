/**
 * What writing one side of a relationship changes in other entities. The reference is stored once, so the many-to-one and
 * many-to-many sides that hold it change nothing else; writing the derived side changes the entities that hold it, and a
 * one-to-one takes the target away from whoever had it. See docs/reference/values.md (Relationships).
 */

import type { Transaction } from '../../../db/connect'
import { entityTypeOf, otherSideOf } from '../../data-model/find'
import type { Attribute, DataModel, EntityType } from '../../data-model/model'
import type { ChangeEvent } from '../../events/event-types'
import { applyValues, type Mode, type Stamp } from '../write/apply-values'
import { batchesOf } from '../../storage/batches'
import { storedPartner } from '../../storage/layout'
import type { Assignment } from '../write/parse-values'
import { lockEntities } from '../../storage/read-entities'
import { tellChanged } from '../write/change-events'
import type { Version } from '../../storage/provenance'
import { changeEntity, VersionConflict } from '../write/save-change'

const SYSTEM = 0

/** A transaction that writes, and for whom. */
export interface Writing {
  readonly tx: Transaction
  readonly model: DataModel
  readonly stamp: Stamp
  /** Gathers what the steps tell; absent where nobody is told. */
  readonly told?: ChangeEvent[]
}

/** Whether writing this attribute may change other entities, so that the write needs a transaction of several steps. */
export function touchesOthers(model: DataModel, attribute: Attribute): boolean {
  return attribute.stored_in === 'partner' || isOneToOne(model, attribute)
}

/** Whether neither side of its relationship takes more than one. */
export const isOneToOne = (model: DataModel, attribute: Attribute): boolean => {
  const partner = otherSideOf(model, attribute)
  return partner !== undefined && !partner.is_multiselect && !attribute.is_multiselect
}

/**
 * Takes the targets of one-to-one references away from the entities that had them, before `entityId` gets them. Their
 * rows are locked first, so that two writers cannot both win.
 */
export async function releaseTargets(
  writing: Writing,
  entityId: string,
  assignments: readonly Assignment[],
): Promise<void> {
  const { tx, model } = writing
  for (const { attribute, values } of assignments) {
    if (attribute.stored_in !== 'columns' || !isOneToOne(model, attribute)) continue
    const target = values[0]?.target_record_id
    const partner = otherSideOf(model, attribute)
    if (target === undefined || !partner) continue
    await lockRow(tx, entityTypeOf(model, partner), String(target))
    const others = (await entitiesReferringTo(tx, model, attribute, String(target))).filter((id) => id !== entityId)
    await updateEach(writing, attribute, others, () => [])
  }
}

/** Writes the derived side of a relationship: `entityId` is to have, or to gain, the given records. */
export async function writeDerived(
  writing: Writing,
  entityId: string,
  { attribute, values }: Assignment,
  mode: Mode,
): Promise<void> {
  const { tx, model, stamp } = writing
  const stored = storedPartner(model, attribute)
  await lockRow(tx, entityTypeOf(model, attribute), entityId)
  const current = await entitiesReferringTo(tx, model, stored, entityId)
  const wanted = [...new Set(values.map((value) => String(value.target_record_id)))]
  const appends = mode === 'append' && attribute.is_multiselect
  const leaving = appends ? [] : current.filter((id) => !wanted.includes(id))
  const arriving = appends ? wanted.filter((id) => !current.includes(id)) : wanted
  await updateEach(writing, stored, leaving, (versions) => versions.filter((version) => !refersTo(version, entityId)))
  const reference = { target_object: entityTypeOf(model, attribute).number, target_record_id: entityId }
  const mirrored = { ...stamp, mirrored: true }
  await updateEach(writing, stored, arriving, (versions, id) => {
    const next = applyValues(stored, versions, [reference], 'append', mirrored)
    // The order sent is the order shown, although the derived side has no list of its own: newest first.
    const rank = stamp.now - arriving.indexOf(id)
    return next.map((version) =>
      refersTo(version, entityId) && (version.rank ?? version.active_from) !== rank ? { ...version, rank } : version,
    )
  })
}

const refersTo = (version: Version, id: string): boolean => version.stored.target_record_id === id

/** The entities whose `attribute` refers to `targetId`, by id. */
export async function entitiesReferringTo(
  tx: Transaction,
  model: DataModel,
  attribute: Attribute,
  targetId: string,
): Promise<string[]> {
  const column = `a_${attribute.number}_target_record_id`
  const refers = attribute.is_multiselect ? `${column} @> array[$1::uuid]` : `${column} = $1::uuid`
  const query = `select id from ${entityTypeOf(model, attribute).table} where ${refers} order by id`
  const rows = await tx.unsafe<{ id: string }[]>(query, [targetId], { prepare: true })
  return rows.map(({ id }) => id)
}

/** Changes one attribute of several entities. Throws `VersionConflict` when one of them does not exist any more. */
export async function updateEach(
  { tx, model, stamp, told }: Writing,
  attribute: Attribute,
  ids: readonly string[],
  change: (versions: readonly Version[], id: string) => readonly Version[],
): Promise<void> {
  const entityType = entityTypeOf(model, attribute)
  for (const batch of batchesOf(ids)) {
    const entities = await lockEntities(tx, model, entityType, batch)
    // One that was changed after this write's time would have values that overlap.
    const isLate = entities.some(({ updated }) => updated > stamp.now)
    if (isLate || entities.length < batch.length) throw new VersionConflict()
    for (const entity of entities) {
      const before = entity.versionsOf(attribute)
      const changes = [{ attribute, before, after: change(before, entity.id) }]
      await changeEntity(tx, model, entityType, entity, { changes, targets: [] }, stamp)
      told?.push(...tellChanged(model, entityType, entity, changes, SYSTEM))
    }
  }
}

/** Serialises writers of one side of a relationship without getting in the way of those that merely refer to it. */
async function lockRow(tx: Transaction, entityType: EntityType, id: string): Promise<void> {
  await tx.unsafe(`select 1 from ${entityType.table} where id = $1 for no key update`, [id], { prepare: true })
}
