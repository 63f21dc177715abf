import type { ApiContext } from '../../context'
import { getWritableObject } from '../../data-model/find'
import { retryOnConflict } from '../../entities/write/retry-on-conflict'
import { deleteRecordEntity } from '../../entities/write/delete-entity'
import { requireMatch } from '../../entities/read/etag'
import { missingRecord, recordIdOf } from '../../entities/read/path-id'

/**
 * Deletes a record and ends references to it. Throws 404 for object and record, 412 when it has another version than
 * `ifMatch` names. See docs/reference/records.md (Delete).
 */
export const deleteRecord = (
  context: ApiContext,
  object: string,
  recordId: string,
  ifMatch: string | null,
): Promise<object> =>
  retryOnConflict(context, async (context) => {
    const entityType = getWritableObject(context.model, object)
    const id = recordIdOf(recordId)
    const deleted = await deleteRecordEntity(context, entityType, id, (entity) => requireMatch(entity, ifMatch))
    if (!deleted) throw await missingRecord(context, id)
    return {}
  })
