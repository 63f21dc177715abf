import { getList } from '#access/list-access/list-access'
import { SEPARATE_WITH_IDS } from '#engine/entities/batch/run-batch'
import type { JobTarget } from '#api/jobs/job'
import { runEntryOperations } from '#api/resources/entries/batch/write-entries'

/** How jobs find and write entries. */
export const ENTRY_JOBS: JobTarget = {
  kind: 'list',
  member: 'entry_values',
  find: (context, slugOrId) => getList(context, slugOrId, 'read-and-write'),
  write: (context, listId, operation, ids) =>
    runEntryOperations(
      context,
      listId,
      ids.map((entry_id) =>
        operation.op === 'delete'
          ? { op: 'delete', entry_id }
          : { op: 'update', entry_id, entry_values: operation.values, mode: operation.mode },
      ),
      SEPARATE_WITH_IDS,
    ),
}
