import { runOnLookupPool } from '#db/lookup-pool'
import type { ApiContext } from '#context'
import { getObject } from '#engine/data-model/find'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { missingRecord, recordIdOf } from '#engine/entities/read/path-id'
import { findRow } from '#engine/storage/read-entities'
import { type AnsweredRecord, answerRecord } from './answer'

/** Returns one record. Throws 404 for the object and for the record; the error names the record that it was merged into. */
export const getRecord = (context: ApiContext, object: string, recordId: string): Promise<AnsweredRecord> =>
  retryOnConflict(context, async (context) => {
    const entityType = getObject(context.model, object)
    const id = recordIdOf(recordId)
    const row = await runOnLookupPool(context.db, (sql) => findRow(sql, context.model, entityType, id))
    if (!row) throw await missingRecord(context, entityType, id)
    return answerRecord(context, entityType, row)
  })
