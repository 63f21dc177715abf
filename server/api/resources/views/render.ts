/** Renders views. See docs/reference/views.md (Members). */

import type { DataModel, EntityType } from '#engine/data-model/model'
import { PARENT_PREFIX } from './contents'
import type { ViewItem, ViewOutput } from './schemas'
import type { ViewRow } from './store'

export function renderViewItem(
  model: DataModel,
  entityType: EntityType,
  { id: view_id, title, created_at, type, member_id }: ViewRow,
): ViewItem {
  const workspace_id = model.workspace.id
  const place = entityType.kind === 'object' ? { object_id: entityType.id } : { list_id: entityType.id }
  return { id: { workspace_id, ...place, view_id }, title, created_at, type, is_personal: member_id !== null }
}

export const renderView = (model: DataModel, entityType: EntityType, view: ViewRow): ViewOutput => ({
  ...renderViewItem(model, entityType, view),
  filter: view.filter,
  sorts: view.sorts,
  visible_attributes: view.visible_attributes?.filter((id) => !isHiddenColumn(model, id)) ?? null,
  board: renderBoard(model, view.board),
  is_archived: view.is_archived,
})

const isHiddenColumn = (model: DataModel, id: string): boolean =>
  model.attributesById.get(id.startsWith(PARENT_PREFIX) ? id.slice(PARENT_PREFIX.length) : id)?.isHidden === true

/** A board by a hidden attribute is none for the member. */
function renderBoard(model: DataModel, board: ViewRow['board']): ViewOutput['board'] {
  const isHidden = (id: string) => isHiddenColumn(model, id)
  if (board === null || isHidden(board.attribute)) return null
  const { attribute, sum_attribute: sum } = board
  return { attribute, sum_attribute: sum === null || isHidden(sum) ? null : sum }
}
