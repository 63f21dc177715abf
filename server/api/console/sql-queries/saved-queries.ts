/** SQL queries that members save for their workspace. See docs/reference/sql-queries.md (Saved queries). */

import type { Transaction } from '#db/connect'
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
import {
  countForInsert,
  deleteQueryHistory,
  deleteOldHistory,
  deleteSavedQueryRow,
  findSavedQueryRow,
  insertHistoryRow,
  insertSavedQuery,
  listHistoryRows,
  listSavedQueryRows,
  lockSavedQuery,
  type SavedQueryKey,
  type SavedQueryRow,
  updateSavedQueryRow,
} from './store'

const MAX_SAVED_QUERIES = 500
const UNIQUE_VIOLATION = '23505'

/** All of the workspace, without their texts. */
export async function listSavedQueries({ db }: AppContext, { workspaceId }: ConsoleMember): Promise<SavedQueryItem[]> {
  return (await listSavedQueryRows(db, workspaceId)).map(renderItem)
}

/** Throws 404. */
export async function getSavedQuery(
  { db }: AppContext,
  { workspaceId }: ConsoleMember,
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
