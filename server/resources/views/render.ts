/** Renders views. See docs/reference/views.md (Members). */

import type { DataModel, EntityType } from '../../data-model/model'
import type { ViewItem, ViewOutput } from './schemas'
import type { ViewRow } from './store'

export function renderViewItem(
  model: DataModel,
  entityType: EntityType,
  { id: view_id, title, created_at }: ViewRow,
): ViewItem {
  const workspace_id = model.workspace.id
  const place = entityType.kind === 'object' ? { object_id: entityType.id } : { list_id: entityType.id }
  return { id: { workspace_id, ...place, view_id }, title, created_at }
}

export const renderView = (model: DataModel, entityType: EntityType, view: ViewRow): ViewOutput => ({
  ...renderViewItem(model, entityType, view),
  type: view.type,
  filter: view.filter,
  sorts: view.sorts,
  visible_attributes: view.visible_attributes?.filter((id) => model.attributesById.get(id)?.isHidden !== true) ?? null,
  is_archived: view.is_archived,
})
