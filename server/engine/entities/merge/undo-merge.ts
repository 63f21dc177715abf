/**
 * Takes back what a merge moved from an original, when the original is restored from the trash and the merged record exists. What
 * was changed or moved after the merge stays with the merged record. See docs/reference/trash.md (Merged records).
 */

import { attributeType } from '#engine/attribute-types/registry'
import { entityTypeOf } from '#engine/data-model/find'
import type { Attribute, RecordType } from '#engine/data-model/model'
import { batchesOf } from '#engine/storage/batches'
import { type AttributeChange, entityChange } from '#engine/storage/entity-change'
import type { DatedValue } from '#engine/storage/provenance'
import { findTrashedEntity, lockEntities, type StoredEntity, listsOf } from '#engine/storage/read-entities'
import { attributesReferringTo } from '#engine/storage/layout'
import { updateEntity } from '#engine/storage/statements/update-entities'
import { type ReadPart, readParts, readReferences } from '#engine/storage/trash/restore-rows'
import {
  deleteMovedHistory,
  findOtherOriginal,
  takeBackEndedReferences,
  takeBackEntries,
  takeBackSingles,
  type TakenBack,
  undoRedirections,
} from '#engine/storage/trash/merged-records'
import { moveBack, MOVED_ATTACHMENTS } from '#engine/attachments/merged-attachments'
import type { WriteTransaction } from '#engine/entities/relationships/relationships'
import { referenceValue } from '#engine/entities/trash/restore-references'
import { eventsOfChange } from '#engine/entities/write/change-events'
import { columnAttributes } from './merge-entities'

/** The row of the original exists, without unique keys. Returns the ids of the entries that it has again. */
export async function undoMerge(
  write: WriteTransaction,
  object: RecordType,
  undone: TakenBack,
  parts: readonly ReadPart[],
): Promise<ReadonlySet<string>> {
  const { tx, model } = write
  const [merged] = await lockEntities(tx, model, object, [undone.mergedId])
  const entries = merged ? await takeBack(write, object, { ...undone, merged, parts }) : []
  await undoRedirections(tx, model, undone, idsIn(parts, 'merged_ids'))
  return new Set(entries)
}

type Undone = TakenBack & { readonly merged: StoredEntity; readonly parts: readonly ReadPart[] }

/** Returns the ids of the entries. */
async function takeBack(write: WriteTransaction, object: RecordType, undone: Undone): Promise<string[]> {
  const { tx, model, stamp } = write
  const other = await findOtherOriginal(tx, model, undone)
  await takeBackValues(write, object, undone, other)
  await deleteMovedHistory(tx, model, undone)
  await takeBackEndedReferences(tx, model, undone)
  const entries: string[] = []
  for (const list of listsOf(model, object))
    entries.push(...(await takeBackEntries(tx, model, list, { ...undone, stamp })))
  await takeBackReferences(write, object, undone, other)
  const moved = movedIn(undone.parts)
  const ofOther = other === undefined ? undefined : movedIn(await readParts(tx, model, other))
  if (moved !== undefined) await moveBack(tx, model, undone, { moved, ofOther })
  return entries
}

const movedIn = (parts: readonly ReadPart[]): string | undefined =>
  parts.find(({ kind }) => kind === MOVED_ATTACHMENTS)?.content ?? undefined

const idsIn = (parts: readonly ReadPart[], kind: string): string[] =>
  parts.flatMap((part) => (part.kind === kind ? (JSON.parse(part.content ?? '[]') as string[]) : [])) // as the merge inserted them

/**
 * Removes the values of the merged record that came from the original, without an end in the history. It keeps those that the
 * other original has as well, until that is restored.
 */
async function takeBackValues(
  { tx, model, stamp, events }: WriteTransaction,
  object: RecordType,
  { merged, ...undone }: Undone,
  other: string | undefined,
): Promise<void> {
  const [original] = await lockEntities(tx, model, object, [undone.id])
  const otherOriginal = other === undefined ? undefined : await findTrashedEntity(tx, model, object, other)
  const changes = columnAttributes(object).map((attribute): AttributeChange => {
    const before = merged.valuesOf(attribute)
    const own = original?.valuesOf(attribute) ?? []
    const kept = otherOriginal?.valuesOf(attribute) ?? []
    const { key } = attributeType(attribute.type)
    const after = before.filter(
      (value) =>
        !own.some((each) => isSame(attribute, each, value)) ||
        kept.some(({ stored }) => key(stored) === key(value.stored)),
    )
    return { attribute, before, after }
  })
  const change = entityChange(merged, changes, stamp)
  if (!change) return
  const { id, version } = merged
  await updateEntity(tx, model, object, { id, version, change: { ...change, ended: [] }, stamp, targets: [] })
  events?.push(...eventsOfChange(model, object, merged, changes))
}

/** A merge keeps the time and the actor of a value. */
function isSame({ type }: Attribute, one: DatedValue, other: DatedValue): boolean {
  const { key } = attributeType(type)
  return one.active_from === other.active_from && one.actor === other.actor && key(one.stored) === key(other.stored)
}

/** References that are not redirected here are restored as those to any record. */
async function takeBackReferences(
  write: WriteTransaction,
  object: RecordType,
  undone: Undone,
  other: string | undefined,
): Promise<void> {
  const { tx, model, stamp } = write
  const numbers = new Set(undone.parts.flatMap(({ kind, attribute }) => (kind === 'references' ? [attribute] : [])))
  for (const attribute of attributesReferringTo(model, object)) {
    if (!numbers.has(attribute.number)) continue
    if (attribute.is_multiselect) await takeBackFromLists(write, attribute, { ...undone, object }, other)
    else await takeBackSingles(tx, model, attribute, { ...undone, stamp })
  }
}

/** An entity that referred to both originals keeps the reference to the merged record until the other one is restored. */
async function takeBackFromLists(
  { tx, model, stamp }: WriteTransaction,
  attribute: Attribute,
  { id, mergedId, object }: TakenBack & { readonly object: RecordType },
  other: string | undefined,
): Promise<void> {
  const entityType = entityTypeOf(model, attribute)
  const ofOther = other === undefined ? [] : await readReferences(tx, model, attribute, other)
  const shared = new Set(ofOther.map(({ entity_id }) => entity_id))
  const references = new Map((await readReferences(tx, model, attribute, id)).map((each) => [each.entity_id, each]))
  for (const batch of batchesOf([...references.keys()].filter((each) => !shared.has(each)))) {
    for (const entity of await lockEntities(tx, model, entityType, batch)) {
      const stored = { target_object: object.number, target_record_id: id }
      const reference = references.get(entity.id)
      const earlier = reference && referenceValue(entity, reference, stored).value
      const before = entity.valuesOf(attribute)
      // A value that was written after the merge stays.
      const after = before.map((value) =>
        value.stored.target_record_id === mergedId && value.active_from === earlier?.active_from ? earlier : value,
      )
      const change = entityChange(entity, [{ attribute, before, after }], stamp)
      if (!change) continue
      const { id: entityId, version } = entity
      const update = { id: entityId, version, change: { ...change, ended: [] }, stamp, targets: [] }
      await updateEntity(tx, model, entityType, update)
    }
  }
}
