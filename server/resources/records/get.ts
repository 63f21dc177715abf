import { onLookups } from '../../../db/lookup-pool'
import type { Call } from '../../call'
import { getObject } from '../../data-model/find'
import { attempt } from '../../entities/write/retry-on-conflict'
import { missingRecord, recordIdOf } from '../../entities/read/path-id'
import { findRow } from '../../entities/read/read-entities'
import { type AnsweredRecord, answerRecord } from './answer'

/** One record. Throws 404 for the object and for the record, which then names what it was merged into. */
export const getRecord = (call: Call, object: string, recordId: string): Promise<AnsweredRecord> =>
  attempt(call, async (call) => {
    const owner = getObject(call.model, object)
    const id = recordIdOf(recordId)
    const row = await onLookups(call.db, (sql) => findRow(sql, call.model, owner, id))
    if (!row) throw await missingRecord(call, id)
    return answerRecord(call, owner, row)
  })
