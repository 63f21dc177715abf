import type { AppContext } from '#context'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { renderJob } from '#api/jobs/render'
import { findJobRows } from '#api/jobs/store'
import type { UndoState } from '#api/console/imports/render'
import type { ImportRow } from '#api/console/imports/store'
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
