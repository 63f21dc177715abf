/** Statements over the unique keys and the history of whole attributes. */

import { renderArray, type Transaction } from '#db/connect'
import type { Attribute, DataModel, RecordType } from '#engine/data-model/model'
import type { OwnedKey } from '#engine/storage/unique-keys'

/** Inserts unique keys. A key that another entity has already stays with that entity. Returns how many were free. */
export async function insertFreeKeys(tx: Transaction, model: DataModel, keys: readonly OwnedKey[]): Promise<number> {
  const { count } = await tx.unsafe(
    `insert into ${model.schema}.uniques (attribute, key, entity_id)
     select attribute, key, entity_id from json_to_recordset($1::text::json) as k(attribute int, key text, entity_id uuid)
     on conflict do nothing`,
    [JSON.stringify(keys)],
  )
  return count
}

/** Deletes the unique keys or the history of attributes. */
export async function deleteRowsOf(
  tx: Transaction,
  model: DataModel,
  table: 'uniques' | 'history',
  attributes: readonly Attribute[],
): Promise<void> {
  const query = `delete from ${model.schema}.${table} where attribute = any($1::int[])`
  await tx.unsafe(query, [renderArray(attributes.map(({ number }) => number))])
}

/** Deletes the ended values that referred to records of the object. */
export async function deleteEndedReferences(
  tx: Transaction,
  model: DataModel,
  attribute: Attribute,
  object: RecordType,
): Promise<void> {
  const query = `delete from ${model.schema}.history where attribute = $1 and (value->>'target_object')::int = $2`
  await tx.unsafe(query, [attribute.number, object.number])
}
