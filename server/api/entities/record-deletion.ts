/** Deletes records of objects and of activities: to the trash, or for good. See docs/reference/trash.md. */

import { erasureWith } from '#api/erasure/erase-records'
import { requireAllScopes } from '#base/errors/access'
import { invalidQuery } from '#base/errors/http'
import type { ApiContext } from '#context'
import type { RecordType } from '#engine/data-model/model'
import type { EntityKind } from '#engine/entities/operations/definitions'
import { deleteRecordEntities, purgeRecordEntity } from '#engine/entities/write/delete-entity'
import { eventOriginOf } from '#engine/outbox/outbox'

/** The deletion of records that the trash keeps for some days. */
export const moveToTrash: EntityKind<RecordType>['delete'] = (context, recordType, ids, check) =>
  deleteRecordEntities(context, recordType, ids, {
    check,
    trashDays: context.trashDays,
    prepareErasure: erasureWith({ now: context.now }),
  })

interface Erasure {
  /** Whether the record is not kept in the trash, and deleted from it. */
  readonly isPermanent: boolean
  /** Whether the texts of its tasks are erased as well. Only with `isPermanent`. */
  readonly erasesTasks: boolean
}

/** Records whose deletion erases them. Throws 400 and 403 for `erasesTasks`. */
export const recordsToErase = <T extends RecordType>(
  kind: EntityKind<T>,
  { isPermanent, erasesTasks }: Erasure,
): EntityKind<T> => ({
  ...kind,
  async delete(context, recordType, ids, check) {
    if (erasesTasks) requireErasableTasks(context, isPermanent)
    if (!isPermanent) return kind.delete(context, recordType, ids, check)
    const originOfTasks = erasesTasks ? () => eventOriginOf(context) : undefined
    const prepareErasure = erasureWith({ now: context.now, originOfTasks })
    const deleted = new Set<string>()
    for (const id of ids) {
      if (await purgeRecordEntity(context, recordType, id, { check, prepareErasure })) deleted.add(id)
    }
    return deleted
  },
})

function requireErasableTasks({ scopes }: ApiContext, isPermanent: boolean): void {
  requireAllScopes(scopes, ['task:read-write'])
  if (!isPermanent)
    throw invalidQuery([{ code: 'invalid', path: ['erase_tasks'], message: 'Can only be given with permanent=true' }])
}
