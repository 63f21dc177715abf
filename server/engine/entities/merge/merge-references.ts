/** Makes references to the two originals of a merge references to the new record. See docs/reference/records.md (Merge). */

import type { Transaction } from '#db/connect'
import { entityTypeOf } from '#engine/data-model/find'
import type { Attribute, DataModel, ObjectType } from '#engine/data-model/model'
import { batchesReferringTo } from '#engine/storage/batches'
import { entityChange } from '#engine/storage/entity-change'
import { lockEntities } from '#engine/storage/read-entities'
import { attributesReferringTo } from '#engine/storage/references'
import {
  findReferringIds,
  redirectEndedReferences,
  redirectReferences,
} from '#engine/storage/statements/reference-statements'
import { updateEntity } from '#engine/storage/statements/update-entity'
import { isOneToOne, updateEach, type WriteTransaction } from '#engine/entities/relationships/relationships'
import { columnAttributes, type Merge, redirectValues } from './merge-values'

/**
 * The one-to-one attributes by which an original would refer to the new record, while a third record refers to an original:
 * only one record may refer to the new one.
 */
export async function findLostSelfReferences(
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

export async function moveReferences(write: WriteTransaction, object: ObjectType, merge: Merge): Promise<void> {
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
  for (const entity of await lockEntities(tx, model, entityType, ids)) {
    const before = entity.valuesOf(attribute)
    const after = redirectValues(attribute, before, merge)
    const change = entityChange(entity, [{ attribute, before, after }], stamp)
    if (!change) continue
    const { id, version } = entity
    await updateEntity(tx, model, entityType, { id, version, change: { ...change, ended: [] }, stamp, targets: [] })
  }
}
