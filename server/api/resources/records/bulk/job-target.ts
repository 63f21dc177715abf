import { getWritableObject } from '#engine/data-model/find'
import { SEPARATE_WITH_IDS } from '#engine/entities/batch/run-batch'
import { erasureWith } from '#api/erasure/erase-records'
import { readNextToUndo, undoRecords } from '#transfer/import/undo/undo-import'
import type { JobTarget, UndoOperation } from '#api/jobs/job'
import { runRecordOperations } from '#api/resources/records/batch/write-records'

const importOf = ({ import_id, started_at }: UndoOperation) => ({ importId: import_id, startedAt: started_at })

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
  undo: {
    readNext: (context, objectId, operation, place) =>
      readNextToUndo(context, getWritableObject(context.model, objectId), importOf(operation), place),
    write: (context, objectId, operation, ids) =>
      undoRecords(
        context,
        objectId,
        { ...importOf(operation), prepareErasure: erasureWith({ now: context.now }) },
        ids,
      ),
  },
}
