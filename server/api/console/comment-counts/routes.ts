/** Numbers of comments for boards and tables. See docs/reference/comments.md (Numbers of comments). */

import { Elysia } from 'elysia'
import { type ConsoleContext, getMemberModel } from '#api/console/console-context'
import { CommentCountsAnswer, CommentCountsQuery } from './schemas'
import { isUuid } from '#vocabulary/uuids'
import { countUnresolved } from '#crm/comments/store'
import type { AppContext } from '#context'
import { findList } from '#engine/data-model/find'
import { invalidQuery } from '#base/errors/http'
import { listNotFound } from '#base/errors/attributes'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { listsVisibleTo } from '#crm/inbox/notify'

export const commentCountRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-comment-counts' }).get(
    ...guard.member(
      '/console/api/workspaces/:workspace_id/comment-counts',
      { response: CommentCountsAnswer, query: CommentCountsQuery },
      ({ member, query }) => countComments(appContext, member, query),
    ),
  )

/** Throws 404 for a list that the member may not see. */
async function countComments(
  appContext: AppContext,
  member: ConsoleMember,
  { list: slugOrId, entry_ids }: CommentCountsQuery,
): Promise<object> {
  const ids = entry_ids === '' ? [] : entry_ids.split(',')
  if (!ids.every(isUuid)) {
    throw invalidQuery([{ code: 'invalid', path: ['entry_ids'], message: 'Expected ids with commas between them' }])
  }
  const { workspaceId, memberId } = member
  const model = await getMemberModel(appContext, member)
  const viewer = model.membersById.get(memberId)
  const list = findList(model, slugOrId)
  if (!viewer || !list || !listsVisibleTo(model, viewer).includes(list.id)) throw listNotFound(slugOrId)
  return { data: await countUnresolved(appContext.db.sql, { workspaceId, listId: list.id }, ids) }
}
