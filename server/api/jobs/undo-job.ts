/** Undoes a job that updated records or entries: creates the job that puts the values back. See docs/reference/jobs.md (Undo of an update). */

import type { ApiContext } from '#context'
import { jobNotUndoable, jobRunning } from '#base/errors/records'
import { newId } from '#base/ids'
import { microsFromPostgres } from '#base/timing/clock'
import { getList } from '#access/list-access/list-access'
import { getActivity, getWritableObject } from '#engine/data-model/find'
import type { EntityType } from '#engine/data-model/model'
import { countUpdated } from '#engine/storage/imports/imported-records'
import { callerOf } from './create-job'
import type { JobOperation } from './job'
import { renderJob } from './render'
import type { JobOutput } from './schemas'
import { insertJob, type JobRow } from './store'

/** Throws 409 for a job that runs and for one that is no update, and 404 and 403 for the object, the list or the activity. */
export async function undoJob(context: ApiContext, undone: JobRow): Promise<JobOutput> {
  const { model, db } = context
  const { op } = JSON.parse(undone.operation) as JobOperation // this service wrote it
  if (op !== 'update') throw jobNotUndoable(undone.id)
  if (undone.ended_at === null) throw jobRunning(undone.id)
  const entityType = getWritable(context, undone)
  // The job updated what was created up to its own creation.
  const startedAt = microsFromPostgres(undone.created_at) + 1
  const updated = await countUpdated(db.sql, model, entityType, { importId: undone.id, startedAt })
  const row = await insertJob(
    db.sql,
    {
      workspaceId: model.workspace.id,
      id: newId(),
      entityTypeId: entityType.id,
      kind: entityType.kind,
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

function getWritable(context: ApiContext, { kind, entity_type_id: id }: JobRow): EntityType {
  switch (kind) {
    case 'object':
      return getWritableObject(context.model, id)
    case 'list':
      return getList(context, id, 'read-and-write')
    case 'activity':
      return getActivity(context.model, id)
  }
}
