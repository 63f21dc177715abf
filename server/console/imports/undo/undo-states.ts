import type { AppContext } from '../../../context'
import type { ConsoleMember } from '../../../http/guard/session-guard'
import { renderJob } from '../../../jobs/render'
import { findJobRows } from '../../../jobs/store'
import type { UndoState } from '../render'
import type { ImportRow } from '../store'
import { undoableUntil } from './undoable-until'

/** Returns what `renderImport` needs of each of these imports. */
export async function loadUndoStates(
  { db, settings }: AppContext,
  { workspaceId }: ConsoleMember,
  rows: readonly ImportRow[],
): Promise<(row: ImportRow) => UndoState> {
  const ids = rows.flatMap(({ undo_job_id }) => undo_job_id ?? [])
  const jobs = await findJobRows(db.sql, workspaceId, ids)
  return (row) => {
    const job = jobs.get(row.undo_job_id ?? '')
    return { until: undoableUntil(row, settings), job: job && renderJob(workspaceId, job) }
  }
}
