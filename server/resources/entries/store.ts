/** The rows of entries by the record they stand for. */

import type { Sql, Transaction } from '../../../db/connect'
import type { Call } from '../../call'
import type { ListOwner } from '../../data-model/model'
import type { Parent } from '../../values/parent'

/** The entries of a list that stand for a record, by id, the oldest first. */
export async function findEntriesOf(db: Sql | Transaction, list: ListOwner, { recordId }: Parent): Promise<string[]> {
  const query = `select id from ${list.table} where parent_record_id = $1 order by created_at, id`
  const rows = await db.unsafe<{ id: string }[]>(query, [recordId], { prepare: true })
  return rows.map(({ id }) => id)
}

/** Lets one writer at a time decide whether a record needs an entry; nobody else is kept waiting. Decision 0024. */
export async function lockParent(tx: Transaction, list: ListOwner, { recordId }: Parent): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`relata entry ${list.id} ${recordId}`}, 0))`
}

/** An entry of any list. */
export interface EntryRow {
  readonly list: number
  readonly id: string
  readonly created_at: string
}

/** A part of the entries in any of the lists that stand for a record, the newest last. */
export async function listEntriesOf(
  { db }: Call,
  lists: readonly ListOwner[],
  recordId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<EntryRow[]> {
  if (lists.length === 0) return []
  const entries = lists.map(
    ({ number, table }) => `select ${number} as list, id, created_at from ${table} where parent_record_id = $1`,
  )
  const query = `${entries.join(' union all ')} order by created_at, id limit $2 offset $3`
  return db.sql.unsafe<EntryRow[]>(query, [recordId, limit, offset])
}
