/** The rows of saved queries and of the history of queries. */

import { sql } from 'kysely'
import type { Database, Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import type { RanQueryBody, SavedQueryBody } from './schemas'

/** The primary key of a saved query. */
export interface SavedQueryKey {
  readonly workspaceId: string
  readonly id: string
}

export interface StoredQuery {
  readonly member_id: string
  readonly version: number
}

const savedQueries = (db: Database, workspaceId: string) =>
  db.control
    .selectFrom('relata.saved_queries as q')
    .innerJoin('relata.workspace_members as m', (join) =>
      join.onRef('m.workspace_id', '=', 'q.workspace_id').onRef('m.id', '=', 'q.member_id'),
    )
    .select(['q.id', 'q.name', 'q.version', 'q.member_id', 'q.created_at', 'q.updated_at'])
    .select(['m.first_name', 'm.last_name'])
    .where('q.workspace_id', '=', workspaceId)

export type SavedQueryRow = Awaited<ReturnType<typeof listSavedQueryRows>>[number]

/** In the order of their names. */
export const listSavedQueryRows = (db: Database, workspaceId: string) =>
  savedQueries(db, workspaceId)
    .orderBy((order) => order.fn('lower', ['q.name']))
    .execute()

export const findSavedQueryRow = (db: Database, { workspaceId, id }: SavedQueryKey) =>
  savedQueries(db, workspaceId).select('q.sql').where('q.id', '=', id).executeTakeFirst()

/** Counts the saved queries. Other transactions that insert one wait until this transaction ends. */
export async function countForInsert(tx: Transaction, workspaceId: string): Promise<number> {
  const control = controlQueriesIn(tx)
  await control
    .selectFrom('relata.workspaces')
    .select('id')
    .where('id', '=', workspaceId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  const row = await control
    .selectFrom('relata.saved_queries')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return row.count
}

export async function insertSavedQuery(
  tx: Transaction,
  { workspaceId, memberId }: ConsoleMember,
  query: SavedQueryBody & { readonly id: string },
  now: string,
): Promise<void> {
  await controlQueriesIn(tx)
    .insertInto('relata.saved_queries')
    .values({ workspace_id: workspaceId, member_id: memberId, ...query, created_at: now, updated_at: now })
    .execute()
}

/** Returns the author and the version, and locks the query until the transaction ends. */
export const lockSavedQuery = (tx: Transaction, { workspaceId, id }: SavedQueryKey): Promise<StoredQuery | undefined> =>
  controlQueriesIn(tx)
    .selectFrom('relata.saved_queries')
    .select(['member_id', 'version'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export async function updateSavedQueryRow(
  tx: Transaction,
  { workspaceId, id }: SavedQueryKey,
  change: SavedQueryBody & { readonly version: number; readonly updated_at: string },
): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.saved_queries')
    .set(change)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function deleteSavedQueryRow(tx: Transaction, { workspaceId, id }: SavedQueryKey): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.saved_queries')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** The latest first. */
export const listHistoryRows = (db: Database, { workspaceId, memberId }: ConsoleMember) =>
  db.control
    .selectFrom('relata.query_history')
    .select(['id', 'sql', 'ran_at', 'duration_ms', 'row_count'])
    .where('workspace_id', '=', workspaceId)
    .where('member_id', '=', memberId)
    .orderBy('id', 'desc')
    .execute()

/** Replaces an earlier run of the same text. */
export async function insertHistoryRow(
  tx: Transaction,
  { workspaceId, memberId }: ConsoleMember,
  run: RanQueryBody & { readonly id: string; readonly ran_at: string },
): Promise<void> {
  const control = controlQueriesIn(tx)
  await ofMember(tx, workspaceId, memberId).where('sql', '=', run.sql).execute()
  await control
    .insertInto('relata.query_history')
    .values({ workspace_id: workspaceId, member_id: memberId, ...run })
    .execute()
}

/** Deletes all but the latest ones. */
export async function deleteOldHistory(
  tx: Transaction,
  { workspaceId, memberId }: ConsoleMember,
  limit: number,
): Promise<void> {
  const oldest = controlQueriesIn(tx)
    .selectFrom('relata.query_history')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('member_id', '=', memberId)
    .orderBy('id', 'desc')
    .offset(limit)
  await ofMember(tx, workspaceId, memberId).where('id', 'in', oldest).execute()
}

export async function deleteQueryHistory(db: Database, { workspaceId, memberId }: ConsoleMember): Promise<void> {
  await ofMember(db.sql, workspaceId, memberId).execute()
}

const ofMember = (on: Database['sql'] | Transaction, workspaceId: string, memberId: string) =>
  controlQueriesIn(on)
    .deleteFrom('relata.query_history')
    .where('workspace_id', '=', workspaceId)
    .where('member_id', '=', memberId)
