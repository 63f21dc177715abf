import type { Call } from '../../call'
import { getObject } from '../../data-model/find'
import { attempt } from '../../entities/write/retry-on-conflict'
import { deleteRecordHolder } from '../../entities/write/delete-entity'
import { requireMatch } from '../../entities/read/etag'
import { missingRecord, recordIdOf } from '../../entities/read/path-id'

/**
 * Deletes a record for good; references to it end. Throws 404 for object and record, 412 when it is at another version
 * than `ifMatch` names. Spec: resources 4.
 */
export const deleteRecord = (call: Call, object: string, recordId: string, ifMatch: string | null): Promise<object> =>
  attempt(call, async (call) => {
    const owner = getObject(call.model, object)
    const id = recordIdOf(recordId)
    const deleted = await deleteRecordHolder(call, owner, id, (holder) => requireMatch(holder, ifMatch))
    if (!deleted) throw await missingRecord(call, id)
    return {}
  })
