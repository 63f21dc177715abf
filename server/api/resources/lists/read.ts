/**
 * Lists and reads the lists that the caller can see. See docs/reference/lists-and-entries.md (Lists).
 */

import { getList, visibleLists } from '#access/list-access/list-access'
import type { RequestContext } from '#context'
import { findList } from '#engine/data-model/find'
import { type DataModel, type ListType, ModelVersionConflict } from '#engine/data-model/model'
import { listNotFound } from '#base/errors/attributes'
import type { ListOutput } from './schemas'

/** Returns the lists in the order of their creation. */
export const listLists = (context: RequestContext): ListOutput[] =>
  visibleLists(context).map((list) => renderList(context.model, list))

export const readList = (context: RequestContext, slugOrId: string): ListOutput =>
  renderList(context.model, getList(context, slugOrId, 'read-only'))

/** Returns a list after a change, also when the caller cannot see it any more. */
export function getListById(model: DataModel, id: string): ListType {
  const list = findList(model, id)
  if (!list) throw listNotFound(id)
  return list
}

/** Renders a list. See docs/reference/lists-and-entries.md (Lists). */
export const renderList = (model: DataModel, list: ListType): ListOutput => ({
  id: { workspace_id: model.workspace.id, list_id: list.id },
  api_slug: list.api_slug,
  name: list.name,
  parent_object: list.parentObjects.map(({ id }) => parentSlug(model, list, id)),
  workspace_access: list.workspace_access,
  workspace_member_access: list.workspace_member_access.map((access) => ({ ...access })),
  created_by_actor: creatorOf(model, list),
  created_at: list.created_at,
})

function parentSlug(model: DataModel, list: ListType, id: string): string {
  const parent = model.entityTypesById.get(id)
  if (!parent) throw new ModelVersionConflict(`The parent of list ${list.id} is not known.`)
  return parent.api_slug
}

function creatorOf(model: DataModel, list: ListType): ListOutput['created_by_actor'] {
  const actor = model.actors.get(list.created_by)
  if (!actor) throw new ModelVersionConflict(`Actor ${list.created_by} is not known.`)
  return { type: actor.type, id: actor.id }
}
