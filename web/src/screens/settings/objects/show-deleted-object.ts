/** The message after the deletion of an object, which offers to undo it. */

import { restoreObject } from '../../../api/data-model/objects'
import { getDataModel } from '../../../state/data-model.svelte'
import { toasts } from '../../../state/toasts.svelte'
import { hasTrash } from '../../records/trash/show-deleted'

export function showDeletedObject(id: string, name: string): void {
  if (!hasTrash()) toasts.show(`${name} deleted`)
  else toasts.show(`${name} deleted`, { label: 'Undo', act: () => undo(id) })
}

async function undo(id: string): Promise<void> {
  try {
    await restoreObject(id)
    toasts.show('Deletion undone')
  } catch (error) {
    toasts.fail(error)
  }
  await getDataModel().load()
}
