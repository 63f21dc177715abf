/** Objects and activities that were deleted and can be restored: the requests about them, and the message after a deletion. */

import type { DeletedActivityOutput } from '#api/resources/activities/schemas'
import type { DeletedObjectOutput } from '#api/resources/objects/schemas'
import { deleteActivityPermanently, listDeletedActivities, restoreActivity } from '../../../api/data-model/activities'
import type { RecordTypePath } from '../../../api/data-model/attributes'
import { deleteObjectPermanently, listDeletedObjects, restoreObject } from '../../../api/data-model/objects'
import { getDataModel } from '../../../state/data-model.svelte'
import { toasts } from '../../../state/toasts.svelte'
import { hasTrash } from '../../records/trash/show-deleted'

type Kind = RecordTypePath['kind']

export type DeletedRecordType = DeletedObjectOutput | DeletedActivityOutput

const REQUESTS = {
  objects: { list: listDeletedObjects, restore: restoreObject, erase: deleteObjectPermanently },
  activities: { list: listDeletedActivities, restore: restoreActivity, erase: deleteActivityPermanently },
}

export const requestsOf = (kind: Kind) => REQUESTS[kind]

/** The message after a deletion, which offers to undo it. */
export function showDeletedRecordType(kind: Kind, id: string, name: string): void {
  if (!hasTrash()) toasts.show(`${name} deleted`)
  else toasts.show(`${name} deleted`, { label: 'Undo', act: () => undo(kind, id) })
}

async function undo(kind: Kind, id: string): Promise<void> {
  try {
    await REQUESTS[kind].restore(id)
    toasts.show('Deletion undone')
  } catch (error) {
    toasts.fail(error)
  }
  await getDataModel().load()
}
