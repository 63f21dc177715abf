import { timestampFromPostgres } from '#base/timing/clock'
import type { JobError, JobOperation } from './job'
import type { JobOutput } from './schemas'
import type { JobRow } from './store'

/** More can match during a job than at its start, so `total` is at least what was tried. */
export function renderJob(workspaceId: string, row: JobRow): JobOutput {
  const { done, failed, kept, status, kind, entity_type_id } = row
  const total = Math.max(row.total, done + failed + kept)
  const idName = kind === 'list' ? 'entry_id' : 'record_id'
  // Both were written by this service in this form.
  const errors = JSON.parse(row.errors) as JobError[]
  const operation = JSON.parse(row.operation) as JobOperation
  return {
    id: { workspace_id: workspaceId, job_id: row.id },
    status,
    operation: operation.op,
    import_id: operation.op === 'undo_import' ? operation.import_id : null,
    undone_job_id: operation.op === 'undo_update' ? operation.job_id : null,
    object_id: kind === 'object' ? entity_type_id : null,
    list_id: kind === 'list' ? entity_type_id : null,
    activity_id: kind === 'activity' ? entity_type_id : null,
    total,
    done,
    failed,
    kept,
    skipped: status === 'completed' ? total - done - failed - kept : 0,
    errors: errors.map(({ id, error }) => ({ [idName]: id, error: error as JobOutput['errors'][number]['error'] })), // an error body
    failure: row.failure,
    created_at: timestampFromPostgres(row.created_at),
    ended_at: row.ended_at === null ? null : timestampFromPostgres(row.ended_at),
  }
}
