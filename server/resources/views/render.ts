/** Views as clients see them. Spec 2.3. */

import type { DataModel, Owner } from '../../data-model/model'
import type { ViewItem, ViewOutput } from './schemas'
import type { ViewRow } from './store'

export function renderViewItem(model: DataModel, owner: Owner, { id: view_id, title, created_at }: ViewRow): ViewItem {
  const workspace_id = model.workspace.id
  const place = owner.kind === 'object' ? { object_id: owner.id } : { list_id: owner.id }
  return { id: { workspace_id, ...place, view_id }, title, created_at }
}

export const renderView = (model: DataModel, owner: Owner, view: ViewRow): ViewOutput => ({
  ...renderViewItem(model, owner, view),
  type: view.type,
  filter: view.filter,
  sorts: view.sorts,
  visible_attributes: view.visible_attributes,
  is_archived: view.is_archived,
})
