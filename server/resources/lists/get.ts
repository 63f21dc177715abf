/** Reading lists; those that the call may not see are not among them. Spec: resources 5. */

import { getList, visibleLists } from '../../access/list-access'
import type { Call } from '../../call'
import { findList } from '../../data-model/find'
import type { DataModel, ListOwner } from '../../data-model/model'
import { listNotFound } from '../../errors/errors'
import { renderList } from './render'
import type { ListOutput } from './schemas'

/** In creation order. */
export const listLists = (call: Call): ListOutput[] => visibleLists(call).map((list) => renderList(call.model, list))

export const readList = (call: Call, slugOrId: string): ListOutput =>
  renderList(call.model, getList(call, slugOrId, 'read-only'))

/** A list as it has become, whether or not the call may still see it. */
export function getById(model: DataModel, id: string): ListOwner {
  const list = findList(model, id)
  if (!list) throw listNotFound(id)
  return list
}
