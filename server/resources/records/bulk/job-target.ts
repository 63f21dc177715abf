import { getWritableObject } from '../../../data-model/find'
import { SEPARATE_WITH_IDS } from '../../../entities/batch/run-batch'
import type { JobTarget } from '../../../jobs/job'
import { runRecordOperations } from '../batch/write-records'

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
      SEPARATE_WITH_IDS,
    ),
}
