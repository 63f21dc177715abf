/** The rows that say what the sample data of a workspace consists of. */

import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'

export type SampleKind = 'record' | 'note' | 'task' | 'meeting'

export interface SampleItem {
  readonly kind: SampleKind
  readonly id: string
  /** Of a record. */
  readonly object_id: string | null
}

/** In the order of their creation. */
export async function listSamples(on: Sql | Transaction, workspaceId: string): Promise<SampleItem[]> {
  const rows = await controlQueriesIn(on)
    .selectFrom('relata.sample_items')
    .select(['kind', 'id', 'object_id'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('position')
    .execute()
  return rows.map(({ kind, id, object_id }) => ({ kind: kind as SampleKind, id, object_id })) // checked by the table
}

/**
 * The position orders the items of a workspace. Returns false where another item has it: two requests fill at the same time, and
 * only one of them inserts the first item.
 */
export async function insertSample(
  on: Sql,
  workspaceId: string,
  item: SampleItem & { readonly position: number },
): Promise<boolean> {
  const inserted = await controlQueriesIn(on)
    .insertInto('relata.sample_items')
    .values({ workspace_id: workspaceId, ...item })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'position']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function deleteSamples(on: Sql, workspaceId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await controlQueriesIn(on)
    .deleteFrom('relata.sample_items')
    .where(equal({ workspace_id: workspaceId }))
    .where('id', 'in', [...ids])
    .execute()
}
