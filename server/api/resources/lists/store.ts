/** The rows of lists. */

import type { ModelChange } from '#engine/data-model/change-model'
import type { ListType } from '#engine/data-model/model'
import { insertListMembers, insertTargetOf } from '#engine/workspaces/insert-entity-types'

/** Updates all columns of a list that can change. */
export async function saveList(step: ModelChange, list: ListType): Promise<void> {
  const { control, model } = step
  const { id, name, api_slug, workspace_access } = list
  await control
    .updateTable('relata.entity_types')
    .set({ api_slug })
    .where('workspace_id', '=', model.workspace.id)
    .where('id', '=', id)
    .execute()
  await control
    .updateTable('relata.lists')
    .set({ name, workspace_access })
    .where('workspace_id', '=', model.workspace.id)
    .where('id', '=', id)
    .execute()
  await control
    .deleteFrom('relata.list_members')
    .where('workspace_id', '=', model.workspace.id)
    .where('list_id', '=', id)
    .execute()
  await insertListMembers(insertTargetOf(step), list)
}
