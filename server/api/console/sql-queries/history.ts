/** The SQL queries that a member ran last. Only the member sees them. See docs/reference/sql-queries.md (History). */

import type { AppContext } from '#context'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { newId } from '#base/ids'
import { timestampFromMicros, timestampFromPostgres } from '#base/timing/clock'
import type { RanQueryBody, RanQueryOutput } from './schemas'
import { deleteHistory, deleteOldHistory, insertHistoryRow, listHistoryRows } from './store'

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

export const clearHistory = ({ db }: AppContext, member: ConsoleMember): Promise<void> => deleteHistory(db, member)
