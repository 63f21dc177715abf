/** SQL queries that members save for their workspace. See docs/reference/sql-queries.md (Saved queries). */

import type { Transaction, Database } from '#db/connect'
import { isUuid } from '#vocabulary/uuids'
import type { AppContext } from '#context'
import {
  savedQueryChanged,
  savedQueryNameTaken,
  savedQueryNotFound,
  savedQueryOfOther,
  tooManySavedQueries,
} from '#base/errors/queries'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { newId } from '#base/ids'
import { timestampFromMicros, timestampFromPostgres } from '#base/timing/clock'
import type {
  RanQueryBody,
  RanQueryOutput,
  SavedQueryBody,
  SavedQueryChangeBody,
  SavedQueryItem,
  SavedQueryOutput,
} from './schemas'
import { sql } from 'kysely'
import { controlQueriesIn, equal, onEqual } from '#engine/data-model/kysely-in-transaction'

const MAX_SAVED_QUERIES = 500
const UNIQUE_VIOLATION = '23505'

/** All of the workspace, without their texts. */
export async function listSavedQueries({ db }: AppContext, { workspaceId }: ConsoleMember): Promise<SavedQueryItem[]> {
  return (await listSavedQueryRows(db, workspaceId)).map(renderItem)
}

/** Throws 404. */
export async function getSavedQuery(
  { db }: Pick<AppContext, 'db'>,
  { workspaceId }: Pick<ConsoleMember, 'workspaceId'>,
  id: string,
): Promise<SavedQueryOutput> {
  const row = isUuid(id) ? await findSavedQueryRow(db, { workspaceId, id: id.toLowerCase() }) : undefined
  if (row === undefined) throw savedQueryNotFound(id)
  return { ...renderItem(row), sql: row.sql }
}

/** Throws 409 for a name that another query has. */
export async function saveQuery(
  appContext: AppContext,
  member: ConsoleMember,
  { name, sql }: SavedQueryBody,
): Promise<SavedQueryOutput> {
  const { db, now } = appContext
  const id = newId()
  await db.sql
    .begin(async (tx) => {
      if ((await countForInsert(tx, member.workspaceId)) >= MAX_SAVED_QUERIES) {
        throw tooManySavedQueries(MAX_SAVED_QUERIES)
      }
      await insertSavedQuery(tx, member, { id, name: name.trim(), sql }, timestampFromMicros(now()))
    })
    .catch(asNameTaken(name))
  return getSavedQuery(appContext, member, id)
}

/** Throws 404, 403 for a query of another member, 412 for another version, 409 for a name that another query has. */
export async function updateSavedQuery(
  appContext: AppContext,
  member: ConsoleMember,
  id: string,
  { name, sql, version }: SavedQueryChangeBody,
): Promise<SavedQueryOutput> {
  const { db, now } = appContext
  await db.sql
    .begin(async (tx) => {
      const key = await lockOwn(tx, member, id, version)
      const updated_at = timestampFromMicros(now())
      await updateSavedQueryRow(tx, key, { name: name.trim(), sql, version: version + 1, updated_at })
    })
    .catch(asNameTaken(name))
  return getSavedQuery(appContext, member, id)
}

/** Throws 404, and 403 for a query of another member. */
export async function deleteSavedQuery({ db }: AppContext, member: ConsoleMember, id: string): Promise<void> {
  await db.sql.begin(async (tx) => deleteSavedQueryRow(tx, await lockOwn(tx, member, id)))
}

/** Locks a query that the member may change. */
async function lockOwn(
  tx: Transaction,
  { workspaceId, memberId, accessLevel }: ConsoleMember,
  id: string,
  version?: number,
): Promise<SavedQueryKey> {
  const key = { workspaceId, id: id.toLowerCase() }
  const stored = isUuid(id) ? await lockSavedQuery(tx, key) : undefined
  if (stored === undefined) throw savedQueryNotFound(id)
  if (stored.member_id !== memberId && accessLevel !== 'admin') throw savedQueryOfOther()
  if (version !== undefined && version !== stored.version) throw savedQueryChanged()
  return key
}

/** Turns PostgreSQL's unique violation of a name into an error of the API. */
const asNameTaken =
  (name: string) =>
  (error: unknown): never => {
    const isTaken = error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION
    throw isTaken ? savedQueryNameTaken(name) : error
  }

const renderItem = ({ member_id, first_name, last_name, ...row }: SavedQueryRow): SavedQueryItem => ({
  id: row.id,
  name: row.name,
  version: row.version,
  created_by: { workspace_member_id: member_id, first_name, last_name },
  created_at: timestampFromPostgres(row.created_at),
  updated_at: timestampFromPostgres(row.updated_at),
})

// The SQL queries that a member ran last. Only the member sees them. See docs/reference/sql-queries.md (History).

/** How many queries the history of a member has. */
const MAX_HISTORY = 100

/** The latest first. */
export async function readHistory({ db }: AppContext, member: ConsoleMember): Promise<RanQueryOutput[]> {
  return (await listHistoryRows(db, member)).map((row) => ({ ...row, ran_at: timestampFromPostgres(row.ran_at) }))
}

/** Adds a query that ran, in place of an earlier run of the same text. */
export async function addToHistory(
  { db, now }: AppContext,
  member: ConsoleMember,
  { sql, duration_ms, row_count }: RanQueryBody,
): Promise<void> {
  const run = { id: newId(), sql, duration_ms, row_count, ran_at: timestampFromMicros(now()) }
  await db.sql.begin(async (tx) => {
    await insertHistoryRow(tx, member, run)
    await deleteOldHistory(tx, member, MAX_HISTORY)
  })
}

export const clearHistory = ({ db }: AppContext, member: ConsoleMember): Promise<void> => deleteQueryHistory(db, member)

// The rows of saved queries and of the history of queries.

/** The primary key of a saved query. */
interface SavedQueryKey {
  readonly workspaceId: string
  readonly id: string
}

interface StoredQuery {
  readonly member_id: string
  readonly version: number
}

const savedQueries = (db: Database, workspaceId: string) =>
  db.control
    .selectFrom('relata.saved_queries as q')
    .innerJoin('relata.workspace_members as m', onEqual({ 'm.workspace_id': 'q.workspace_id', 'm.id': 'q.member_id' }))
    .select(['q.id', 'q.name', 'q.version', 'q.member_id', 'q.created_at', 'q.updated_at'])
    .select(['m.first_name', 'm.last_name'])
    .where('q.workspace_id', '=', workspaceId)

type SavedQueryRow = Awaited<ReturnType<typeof listSavedQueryRows>>[number]

/** In the order of their names. */
const listSavedQueryRows = (db: Database, workspaceId: string) =>
  savedQueries(db, workspaceId)
    .orderBy((order) => order.fn('lower', ['q.name']))
    .execute()

const findSavedQueryRow = (db: Database, { workspaceId, id }: SavedQueryKey) =>
  savedQueries(db, workspaceId).select('q.sql').where('q.id', '=', id).executeTakeFirst()

/** Counts the saved queries. Other transactions that insert one wait until this transaction ends. */
async function countForInsert(tx: Transaction, workspaceId: string): Promise<number> {
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

async function insertSavedQuery(
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
const lockSavedQuery = (tx: Transaction, { workspaceId, id }: SavedQueryKey): Promise<StoredQuery | undefined> =>
  controlQueriesIn(tx)
    .selectFrom('relata.saved_queries')
    .select(['member_id', 'version'])
    .where(equal({ workspace_id: workspaceId, id }))
    .forUpdate()
    .executeTakeFirst()

async function updateSavedQueryRow(
  tx: Transaction,
  { workspaceId, id }: SavedQueryKey,
  change: SavedQueryBody & { readonly version: number; readonly updated_at: string },
): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.saved_queries')
    .set(change)
    .where(equal({ workspace_id: workspaceId, id }))
    .execute()
}

async function deleteSavedQueryRow(tx: Transaction, { workspaceId, id }: SavedQueryKey): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.saved_queries')
    .where(equal({ workspace_id: workspaceId, id }))
    .execute()
}

/** The latest first. */
const listHistoryRows = (db: Database, { workspaceId, memberId }: ConsoleMember) =>
  db.control
    .selectFrom('relata.query_history')
    .select(['id', 'sql', 'ran_at', 'duration_ms', 'row_count'])
    .where(equal({ workspace_id: workspaceId, member_id: memberId }))
    .orderBy('id', 'desc')
    .execute()

/** Replaces an earlier run of the same text. */
async function insertHistoryRow(
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
async function deleteOldHistory(
  tx: Transaction,
  { workspaceId, memberId }: ConsoleMember,
  limit: number,
): Promise<void> {
  const oldest = controlQueriesIn(tx)
    .selectFrom('relata.query_history')
    .select('id')
    .where(equal({ workspace_id: workspaceId, member_id: memberId }))
    .orderBy('id', 'desc')
    .offset(limit)
  await ofMember(tx, workspaceId, memberId).where('id', 'in', oldest).execute()
}

async function deleteQueryHistory(db: Database, { workspaceId, memberId }: ConsoleMember): Promise<void> {
  await ofMember(db.sql, workspaceId, memberId).execute()
}

const ofMember = (on: Database['sql'] | Transaction, workspaceId: string, memberId: string) =>
  controlQueriesIn(on)
    .deleteFrom('relata.query_history')
    .where(equal({ workspace_id: workspaceId, member_id: memberId }))
