/** Numbers of comments for boards and tables. See docs/reference/comments.md (Numbers of comments). */

import { isUuid } from '../../attribute-types/formats/uuids'
import { countUnresolved } from '../../comments/count-unresolved'
import type { AppContext } from '../../context'
import { findList } from '../../data-model/find'
import type { DataModel } from '../../data-model/model'
import { invalidQuery } from '../../errors/http'
import { listNotFound } from '../../errors/lists'
import type { ConsoleMember } from '../../http/guard/session-guard'
import { listsVisibleTo } from '../../inbox/recipients'
import type { CommentCountsQuery } from './schemas'

/** Throws 404 for a list that the member may not see. */
export async function countComments(
  { db, models }: AppContext,
  { workspaceId, memberId }: ConsoleMember,
  { list: slugOrId, entry_ids }: CommentCountsQuery,
): Promise<object> {
  const ids = entry_ids === '' ? [] : entry_ids.split(',')
  if (!ids.every(isUuid)) {
    throw invalidQuery([{ code: 'invalid', path: ['entry_ids'], message: 'Expected ids with commas between them' }])
  }
  const visibleList = (model: DataModel) => {
    const member = model.membersById.get(memberId)
    const list = findList(model, slugOrId)
    return member && list && listsVisibleTo(model, member).includes(list.id) ? list : undefined
  }
  // Another process may have created the list or given access a moment ago.
  const list = visibleList(await models.get(workspaceId)) ?? visibleList(await models.reload(workspaceId))
  if (list === undefined) throw listNotFound(slugOrId)
  return { data: await countUnresolved(db.sql, { workspaceId, listId: list.id }, ids) }
}
