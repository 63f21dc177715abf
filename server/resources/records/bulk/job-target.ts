import { getWritableObject } from '../../../data-model/find'
import type { JobTarget } from '../../../jobs/job'
import { runRecordOperations } from '../batch/batch'

/** How jobs find and write records. */
export const RECORD_JOBS: JobTarget = {
  kind: 'object',
  member: 'values',
  find: ({ model }, slugOrId) => getWritableObject(model, slugOrId),
  write: (context, objectId, operation, ids) =>
    runRecordOperations(
      context,
      objectId,
      ids.map((record_id) => ({ ...operation, record_id })),
    ),
}
