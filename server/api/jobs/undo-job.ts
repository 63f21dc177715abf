/** Undoes a job that updated records: creates the job that puts the values back. See docs/reference/jobs.md (Undo of an update). */

import type { ApiContext } from '#context'
import { jobNotUndoable, jobRunning } from '#base/errors/records'
import { newId } from '#base/ids'
import { microsFromPostgres } from '#base/timing/clock'
import { getWritableObject } from '#engine/data-model/find'
import { countImported } from '#engine/storage/imports/imported-records'
import { callerOf } from './create-job'
import type { JobOperation } from './job'
import { renderJob } from './render'
import type { JobOutput } from './schemas'
import { insertJob, type JobRow } from './store'

/** Throws 409 for a job that runs and for one that is no update of records, and 404 and 403 for the object. */
export async function undoJob(context: ApiContext, undone: JobRow): Promise<JobOutput> {
  const { model, db } = context
  const { op } = JSON.parse(undone.operation) as JobOperation // this service wrote it
  if (undone.kind !== 'object' || op !== 'update') throw jobNotUndoable(undone.id)
  if (undone.ended_at === null) throw jobRunning(undone.id)
  const object = getWritableObject(model, undone.entity_type_id)
  // The job updated what was created up to its own creation.
  const startedAt = microsFromPostgres(undone.created_at) + 1
  const { updated } = await countImported(db.sql, model, object, { importId: undone.id, startedAt })
  const row = await insertJob(
    db.sql,
    {
      workspaceId: model.workspace.id,
      id: newId(),
      entityTypeId: object.id,
      kind: object.kind,
      caller: callerOf(context),
      filter: {},
      operation: { op: 'undo_update', job_id: undone.id, started_at: startedAt },
      createdAt: context.now(),
    },
    updated,
  )
  context.workers?.wake('jobs')
  return renderJob(model.workspace.id, row)
}
