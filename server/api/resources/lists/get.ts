/**
 * Lists and reads the lists that the caller can see. See docs/reference/lists-and-entries.md (Lists).
 */

import { getList, visibleLists } from '#access/list-access/list-access'
import type { RequestContext } from '#context'
import { findList } from '#engine/data-model/find'
import type { DataModel, ListType } from '#engine/data-model/model'
import { listNotFound } from '#base/errors/lists'
import { renderList } from './render'
import type { ListOutput } from './schemas'

/** Returns the lists in the order of their creation. */
export const listLists = (context: RequestContext): ListOutput[] =>
  visibleLists(context).map((list) => renderList(context.model, list))

export const readList = (context: RequestContext, slugOrId: string): ListOutput =>
  renderList(context.model, getList(context, slugOrId, 'read-only'))

/** Returns a list after a change, also when the caller cannot see it any more. */
export function getById(model: DataModel, id: string): ListType {
  const list = findList(model, id)
  if (!list) throw listNotFound(id)
  return list
}
