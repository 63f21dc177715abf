/** Many entities in the order of their ids, so few at once that they fit into memory whatever they hold. */

import type { Transaction } from '../../db/connect'
import { entityTypeOf } from '../data-model/find'
import type { Attribute, DataModel } from '../data-model/model'

export const BATCH_SIZE = 500

/** The ids in parts that are small enough, each in order. */
export function* batchesOf(ids: readonly string[]): Generator<string[]> {
  const sorted = ids.toSorted()
  for (let at = 0; at < sorted.length; at += BATCH_SIZE) yield sorted.slice(at, at + BATCH_SIZE)
}

/** The entities whose `attribute` refers to any of the records. A batch may be changed before the next one is read. */
export const batchesReferringTo = (
  tx: Transaction,
  model: DataModel,
  attribute: Attribute,
  targetIds: readonly string[],
): AsyncGenerator<string[]> => {
  const column = `a_${attribute.number}_target_record_id`
  const refers = attribute.is_multiselect ? `${column} && $1::uuid[]` : `${column} = any($1::uuid[])`
  return batchesWhere(tx, entityTypeOf(model, attribute).table, refers, targetIds)
}

/** The rows of a table that meet a condition on `$1`, which is these ids. */
export async function* batchesWhere(
  tx: Transaction,
  table: string,
  condition: string,
  ids: readonly string[],
): AsyncGenerator<string[]> {
  // Materialized: with a limit, PostgreSQL might read the whole table in the order of its ids.
  const found = `with found as materialized (select id from ${table} where ${condition}) select id from found order by id`
  const parameters = [`{${ids.join(',')}}`]
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
