/** Ids of many entities in batches that are small enough for the entities to fit into memory. */

import { renderArray, type Transaction } from '#db/connect'
import { entityTypeOf } from '#engine/data-model/find'
import type { Attribute, DataModel } from '#engine/data-model/model'
import { targetColumn } from './layout'

export const BATCH_SIZE = 500

/** Sorts ids and splits them into batches. */
export function* batchesOf(ids: readonly string[]): Generator<string[]> {
  const sorted = ids.toSorted()
  for (let at = 0; at < sorted.length; at += BATCH_SIZE) yield sorted.slice(at, at + BATCH_SIZE)
}

/** The entities whose `attribute` refers to any of the records. The caller may change a batch before it takes the next one. */
export const batchesReferringTo = (
  tx: Transaction,
  model: DataModel,
  attribute: Attribute,
  targetIds: readonly string[],
): AsyncGenerator<string[]> => {
  const column = targetColumn(attribute)
  const refers = attribute.is_multiselect ? `${column} && $1::uuid[]` : `${column} = any($1::uuid[])`
  return batchesWhere(tx, entityTypeOf(model, attribute).table, refers, targetIds)
}

/** The ids of the rows that meet a condition. `$1` in the condition stands for `ids`. */
export async function* batchesWhere(
  tx: Transaction,
  table: string,
  condition: string,
  ids: readonly string[],
): AsyncGenerator<string[]> {
  // `materialized` keeps PostgreSQL from reading the whole table in the order of its ids to meet the limit.
  const found = `with found as materialized (select id from ${table} where ${condition}) select id from found order by id`
  const parameters = [renderArray(ids)]
  const few = await tx.unsafe<Row[]>(`${found} limit ${BATCH_SIZE + 1}`, parameters, { prepare: true })
  if (few.length <= BATCH_SIZE) {
    if (few.length > 0) yield idsOf(few)
    return
  }
  // An error ends the transaction, and the cursor with it.
  await tx.unsafe(`declare found_ids no scroll cursor for ${found}`, parameters)
  for (;;) {
    const rows = await tx.unsafe<Row[]>(`fetch forward ${BATCH_SIZE} from found_ids`)
    if (rows.length === 0) break
    yield idsOf(rows)
  }
  await tx.unsafe('close found_ids')
}

interface Row {
  readonly id: string
}

const idsOf = (rows: readonly Row[]): string[] => rows.map(({ id }) => id)
