/**
 * The table of erasures that have begun and not ended. Its terms let an erasure that was interrupted be repeated, and the trigger of the
 * audit log accepts only what a stored erasure replaces. See docs/decisions/erasure.md.
 */

import { type RawBuilder, sql } from 'kysely'
import { type Database, renderArray, type Sql, type Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { PersonTerms } from './person-terms'

export interface StoredErasure {
  readonly workspace_id: string
  readonly id: string
  readonly terms: RawBuilder<string>
  /** The regular expression that finds the terms. */
  readonly expression: string
  readonly begun_at: string
}

/**
 * Stores the erasure, and locks its row in a transaction. The end of another erasure of the same person deletes the row; then it is
 * stored again.
 */
export async function storeErasure(on: Sql | Transaction, erasure: StoredErasure): Promise<void> {
  await controlQueriesIn(on)
    .insertInto('relata.erasures')
    .values(erasure)
    .onConflict((conflict) => conflict.columns(['workspace_id', 'id']).doUpdateSet({ begun_at: erasure.begun_at }))
    .execute()
}

export async function readStoredTerms(
  db: Database,
  workspaceId: string,
  addresses: readonly string[],
): Promise<PersonTerms[]> {
  const rows = await db.control
    .selectFrom('relata.erasures')
    .select('terms')
    .where('workspace_id', '=', workspaceId)
    .where(namesOneOf(addresses))
    .execute()
  return rows.map(({ terms }) => JSON.parse(terms) as PersonTerms) // `erasePerson` stored this form
}

/** Deletes the erasure, and others of the same person: those that were interrupted. One that still runs stores itself again. */
export async function deleteErasures(
  tx: Transaction,
  { workspace_id, id }: StoredErasure,
  addresses: readonly string[],
): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.erasures')
    .where('workspace_id', '=', workspace_id)
    .where(({ eb, or }) => or([eb('id', '=', id), namesOneOf(addresses)]))
    .execute()
}

/** Until the transaction ends, the trigger of the audit log accepts that texts of the stored erasure are replaced. */
export async function allowAuditChange(tx: Transaction, erasureId: string): Promise<void> {
  await controlQueriesIn(tx)
    .selectNoFrom(sql`set_config('relata.erasure', ${erasureId}, true)`.as('set'))
    .execute()
}

const namesOneOf = (addresses: readonly string[]) =>
  sql<boolean>`jsonb_exists_any(terms->'addresses', ${renderArray(addresses)}::text[])`
