/** Renders a list. See docs/reference/lists-and-entries.md (Lists). */

import { type DataModel, type ListType, ModelVersionConflict } from '#engine/data-model/model'
import type { ListOutput } from './schemas'

export const renderList = (model: DataModel, list: ListType): ListOutput => ({
  id: { workspace_id: model.workspace.id, list_id: list.id },
  api_slug: list.api_slug,
  name: list.name,
  parent_object: [parentSlug(model, list)],
  workspace_access: list.workspace_access,
  workspace_member_access: list.workspace_member_access.map((access) => ({ ...access })),
  created_by_actor: creatorOf(model, list),
  created_at: list.created_at,
})

function parentSlug(model: DataModel, list: ListType): string {
  const parent = model.entityTypesById.get(list.parent_object_id)
  if (!parent) throw new ModelVersionConflict(`The parent of list ${list.id} is not known.`)
  return parent.api_slug
}

function creatorOf(model: DataModel, list: ListType): ListOutput['created_by_actor'] {
  const actor = model.actors.get(list.created_by)
  if (!actor) throw new ModelVersionConflict(`Actor ${list.created_by} is not known.`)
  return { type: actor.type, id: actor.id }
}
