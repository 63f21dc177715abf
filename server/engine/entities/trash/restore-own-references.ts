/**
 * Drops the values of restored entities that refer to records which no longer exist, and adds those that referred to records which
 * were in the trash when the entity was deleted. A value whose record is still in the trash is restored with that record.
 */

import { type Attribute, type EntityType, hasRecords } from '#engine/data-model/model'
import { type AttributeChange, entityChange, isChanged } from '#engine/storage/entity-change'
import { type DatedValue, explicitEntry } from '#engine/storage/provenance'
import { type StoredEntity, lockExistingRecords } from '#engine/storage/read-entities'
import { isRelationship, storesReferences } from '#engine/storage/layout'
import { findReferringIds } from '#engine/storage/statements/reference-statements'
import { updateEntity } from '#engine/storage/statements/update-entities'
import { insertParts, type NewPart } from '#engine/storage/trash/insert-parts'
import type { TrashedReference } from '#engine/storage/trash/move-to-trash'
import { findTrashed, isResumed, type ReadPart, resumeReferences } from '#engine/storage/trash/restore-rows'
import { isOneToOne, type WriteTransaction } from '#engine/entities/relationships/relationships'
import { endedReference, newValue, referenceValue } from './restore-references'

export async function restoreOwnReferences(
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
