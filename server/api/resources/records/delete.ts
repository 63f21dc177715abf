import type { ApiContext } from '#context'
import { getWritableObject } from '#engine/data-model/find'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { deleteRecordEntities, purgeRecordEntity } from '#engine/entities/write/delete-entity'
import { eventOriginOf } from '#engine/outbox/outbox'
import { erasureWith } from '#api/erasure/erase-records'
import { requireMatch } from '#engine/entities/read/etag'
import { missingRecord, recordIdOf } from '#engine/entities/read/path-id'
import type { ApiError } from '#base/errors/api-error'
import { invalidQuery } from '#base/errors/http'
import { requireAllScopes } from '#vocabulary/scopes'
import type { StoredEntity } from '#engine/storage/read-entities'

interface DeleteOptions {
  readonly ifMatch: string | null
  /** Whether the record is not kept in the trash, and deleted from it. */
  readonly isPermanent?: boolean
  /** Whether the texts of its tasks are erased as well. Only with `isPermanent`. */
  readonly erasesTasks?: boolean
}

/**
 * Deletes a record and ends references to it. Throws 404 for object and record, 412 when it has another version than
 * `ifMatch` names, 400 and 403 for `erasesTasks`. See docs/reference/records.md (Delete) and docs/reference/trash.md.
 */
export const deleteRecord = (
  context: ApiContext,
  object: string,
  recordId: string,
  { ifMatch, isPermanent = false, erasesTasks = false }: DeleteOptions,
): Promise<object> =>
  retryOnConflict(context, async (context) => {
    const { model, trashDays } = context
    const entityType = getWritableObject(model, object)
    const id = recordIdOf(recordId)
    const check = (entity: StoredEntity) => requireMatch(entity, ifMatch)
    if (erasesTasks) requireErasableTasks(context, isPermanent)
    const prepareErasure = erasureWith({
      now: context.now,
      originOfTasks: erasesTasks ? () => eventOriginOf(context) : undefined,
    })
    const deleted = isPermanent
      ? await purgeRecordEntity(context, entityType, id, { check, prepareErasure })
      : (await deleteRecordEntities(context, entityType, [id], { check, trashDays, prepareErasure })).has(id)
    if (!deleted) throw await missingRecord(context, entityType, id)
    return {}
  })

/**
 * Deletes records with shared statements, as if `deleteRecord` deleted one after the other. The ids differ. Returns an error for each
 * record that does not exist.
 */
export const deleteRecords = (
  context: ApiContext,
  object: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ApiError>> =>
  retryOnConflict(context, async (context) => {
    const { model, trashDays } = context
    const entityType = getWritableObject(model, object)
    const deletion = { check: () => {}, trashDays, prepareErasure: erasureWith({ now: context.now }) }
    const deleted = await deleteRecordEntities(context, entityType, ids, deletion)
    const missing = new Map<string, ApiError>()
    for (const id of ids) if (!deleted.has(id)) missing.set(id, await missingRecord(context, entityType, id))
    return missing
  })

function requireErasableTasks({ scopes }: ApiContext, isPermanent: boolean): void {
  requireAllScopes(scopes, ['task:read-write'])
  if (!isPermanent)
    throw invalidQuery([{ code: 'invalid', path: ['erase_tasks'], message: 'Can only be given with permanent=true' }])
}
