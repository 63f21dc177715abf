/** The values and the history of the record that a merge creates. See docs/reference/records.md (Merge). */

import type { Transaction } from '#db/connect'
import { attributeType } from '#engine/attribute-types/registry'
import type { Attribute, DataModel, RecordType } from '#engine/data-model/model'
import { deleteHistory } from '#engine/storage/history'
import { provenanceEntries, storedIn, type DatedValue } from '#engine/storage/provenance'
import type { StoredEntity } from '#engine/storage/read-entities'
import { insertEntity } from '#engine/storage/statements/insert-entities'
import { moveHistory } from '#engine/storage/statements/merge-statements'

/** The two originals, their ids, and the id of the new record. */
export interface Merge {
  readonly primary: StoredEntity
  readonly secondary: StoredEntity
  /** The primary's first. */
  readonly ids: readonly [string, string]
  readonly newId: string
}

export const columnAttributes = (object: RecordType): Attribute[] =>
  object.attributes.filter(({ stored_in }) => stored_in === 'columns')

/** Gives the new record the history of the originals, except that of a single value that lost against the primary's. */
export async function moveHistoryOfMerge(
  tx: Transaction,
  model: DataModel,
  object: RecordType,
  merge: Merge,
): Promise<void> {
  const { primary, secondary } = merge
  for (const attribute of columnAttributes(object)) {
    const losing = primary.valuesOf(attribute).length > 0 ? secondary : primary
    if (!attribute.is_multiselect) await deleteHistory(tx, model, attribute, losing.id)
  }
  await moveHistory(tx, model, merge)
}

/** Inserts the new record, without references to itself by the attributes in `lost`. */
export async function insertMerged(
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
export function mergedValues(attribute: Attribute, merge: Merge): DatedValue[] {
  const first = merge.primary.valuesOf(attribute)
  const second = merge.secondary.valuesOf(attribute)
  if (!attribute.is_multiselect) return redirectValues(attribute, first.length > 0 ? first : second, merge)
  return redirectValues(attribute, [...first, ...second], merge)
}

/** Replaces references to the originals. Of values that become the same, the first stays. */
export function redirectValues(
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
