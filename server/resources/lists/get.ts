/**
 * Reading lists; those that the call may not see are not among them. See docs/reference/lists-and-entries.md (Lists).
 */

import { getList, visibleLists } from '../../access/list-access/list-access'
import type { RequestContext } from '../../context'
import { findList } from '../../data-model/find'
import type { DataModel, ListType } from '../../data-model/model'
import { listNotFound } from '../../errors/lists'
import { renderList } from './render'
import type { ListOutput } from './schemas'

/** In creation order. */
export const listLists = (context: RequestContext): ListOutput[] =>
  visibleLists(context).map((list) => renderList(context.model, list))

export const readList = (context: RequestContext, slugOrId: string): ListOutput =>
  renderList(context.model, getList(context, slugOrId, 'read-only'))

/** A list as it has become, whether or not the call may still see it. */
export function getById(model: DataModel, id: string): ListType {
  const list = findList(model, id)
  if (!list) throw listNotFound(id)
  return list
}
