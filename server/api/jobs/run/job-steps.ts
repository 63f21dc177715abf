/** How a job finds and writes its entities: those that match a filter, or those that an import wrote. */

import type { ApiContext } from '#context'
import type { BatchResult } from '#engine/entities/batch/run-batch'
import { checkValues } from '#api/jobs/check-values'
import type { BatchPlace, BulkOperation, JobPlan, JobTarget, Position, UndoOperation } from '#api/jobs/job'
import { isUpTo, readBatch } from './read-batch'

export interface JobSteps {
  /** Also checks that the caller may still write. */
  readNext(context: ApiContext, place: BatchPlace): Promise<readonly Position[]>
  write(context: ApiContext, ids: readonly string[]): Promise<readonly BatchResult[]>
  /** Whether a position is `other` or before it. */
  isUpTo(position: Position, other: Position): boolean
}

export const stepsOf = (target: JobTarget, job: JobPlan): JobSteps =>
  job.operation.op === 'undo_import' ? undoSteps(target, job, job.operation) : bulkSteps(target, job, job.operation)

const bulkSteps = (target: JobTarget, job: JobPlan, operation: BulkOperation): JobSteps => ({
  async readNext(context, place) {
    const entityType = target.find(context, job.entityTypeId)
    await checkValues(context, entityType, operation, target)
    return readBatch(context, entityType, job, place)
  },
  write: (context, ids) => target.write(context, job.entityTypeId, operation, ids),
  isUpTo,
})

function undoSteps(target: JobTarget, { entityTypeId }: JobPlan, operation: UndoOperation): JobSteps {
  const { undo } = target
  if (undo === undefined) throw new Error(`Imports into a ${target.kind} cannot be undone.`)
  return {
    async readNext(context, place) {
      target.find(context, entityTypeId)
      return undo.readNext(context, entityTypeId, operation, place)
    },
    write: (context, ids) => undo.write(context, entityTypeId, operation, ids),
    isUpTo: ([key, id], other) => (key === other[0] ? id <= other[1] : key < other[0]),
  }
}
