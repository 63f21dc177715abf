import type { Transaction } from '#db/connect'
import { deleteCommentRow, deleteThreadRow, findCommentRow, findHeadId, lockThread } from '#crm/comments/store'
import type { RequestContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { commentNotFound } from '#base/errors/comments'
import { appendToOutbox, eventOriginOf } from '#engine/outbox/outbox'
import { commentEvent } from './events'
import { findVisibleComment, type FoundComment } from './get'

/** Deletes a comment; with the head, its thread. Throws 404. See docs/reference/comments.md (Comments). */
export const deleteComment = (context: RequestContext, commentId: string): Promise<void> =>
  retryOnConflict(context, async (context) => {
    const found = await findVisibleComment(context, commentId)
    const isDeleted = await context.db.sql.begin((tx) => deleteLocked(tx, context, found))
    if (!isDeleted) throw commentNotFound(commentId)
  })

/** Returns false when another request deleted it first. */
async function deleteLocked(
  tx: Transaction,
  context: RequestContext,
  { thread: { id: threadId }, comment }: FoundComment,
): Promise<boolean> {
  const thread = await lockThread(tx, context, threadId)
  if (thread === undefined || !(await findCommentRow(context, tx, comment.id))) return false
  const isHead = (await findHeadId(tx, context, thread.id)) === comment.id
  if (isHead) await deleteThreadRow(tx, context, thread.id)
  else await deleteCommentRow(tx, context, comment.id)
  await appendToOutbox(tx, eventOriginOf(context), [commentEvent('deleted', thread, comment.id)])
  return true
}
