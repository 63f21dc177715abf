/** Who may change the attributes and options of an object, an activity or a list. The service decides; the console hides what it would refuse. */

import type { EntityTypePath } from '../api/data-model/attributes'
import { getDataModel } from './data-model.svelte'
import { isReadOnly } from './object-access'
import { session } from './session.svelte'

/** Objects and activities need a permission, objects also write access, lists full access. Access by a team is not visible here. */
export function mayChangeModel(entityType: EntityTypePath): boolean {
  if (entityType.kind !== 'lists') return session.may('data_model') && !isReadOnly(entityType)
  const list = getDataModel().data?.lists.find(({ api_slug }) => api_slug === entityType.slug)
  if (list === undefined) return false
  const own = list.workspace_member_access.find(
    ({ workspace_member_id }) => workspace_member_id === session.workspace?.workspace_member_id,
  )
  return session.isAdmin || list.workspace_access === 'full-access' || own?.level === 'full-access'
}
