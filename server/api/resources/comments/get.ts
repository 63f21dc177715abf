/** Reading a comment, and finding the one that a request names. */

import { renderComment } from '#crm/comments/render'
import { type CommentRow, findCommentRow, findThreadRow, type ThreadRow } from '#crm/comments/store'
import { isVisibleSubject, requireSubjectScopes } from '#crm/comments/subject'
import type { CommentOutput } from '#crm/comments/schemas'
import type { RequestContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { commentNotFound } from '#base/errors/meetings'
import { readId } from '#base/errors/http'

export interface FoundComment {
  readonly thread: ThreadRow
  readonly comment: CommentRow
}

/** Throws as `findVisibleComment`, and 403 without the scopes that reading its subject requires. */
export const getComment = (context: RequestContext, commentId: string): Promise<CommentOutput> =>
  retryOnConflict(context, async (context) => {
    const { thread, comment } = await findVisibleComment(context, commentId)
    requireSubjectScopes(context, thread.entry_id === null ? 'record' : 'entry')
    return renderComment(context.model, thread, comment)
  })

/** Throws 400 for an id that is no UUID, and 404 when the comment does not exist or its list is not visible. */
export async function findVisibleComment(context: RequestContext, commentId: string): Promise<FoundComment> {
  const comment = await findCommentRow(context, context.db.sql, readId('Comment', commentId))
  const thread = comment && (await findThreadRow(context, comment.thread_id))
  if (comment === undefined || thread === undefined || !isVisibleSubject(context, thread))
    throw commentNotFound(commentId)
  return { thread, comment }
}
