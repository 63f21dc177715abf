import type { Transaction } from '#db/connect'
import { renderComment } from '#crm/comments/render'
import {
  deleteCommentRow,
  deleteThreadRow,
  findCommentRow,
  findHeadId,
  lockThread,
  setResolution,
  type ThreadRow,
} from '#crm/comments/store'
import { requireSubjectScopes } from '#crm/comments/subject'
import type { CommentOutput } from '#crm/comments/schemas'
import type { RequestContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { commentNotFound } from '#base/errors/meetings'
import { emptyPayload } from '#base/errors/http'
import { appendToOutbox, eventOriginOf } from '#engine/outbox/outbox'
import { timestampFromMicros } from '#base/timing/clock'
import { commentEvent } from './events'
import { findVisibleComment, type FoundComment } from './get'
import type { CommentChange } from './schemas'

/**
 * Resolves the thread of a comment, or makes it unresolved. The state belongs to the thread, so its event names the head.
 * Throws 400 for an empty change, 403 without the scopes of the subject, and 404. See docs/reference/comments.md (Resolving).
 */
export const updateComment = (
  context: RequestContext,
  commentId: string,
  { is_resolved }: CommentChange,
): Promise<CommentOutput> =>
  retryOnConflict(context, async (context) => {
    if (is_resolved === undefined) throw emptyPayload()
    const found = await findVisibleComment(context, commentId)
    requireSubjectScopes(context, found.thread.entry_id === null ? 'record' : 'entry')
    const thread = await context.db.sql.begin((tx) => resolveLocked(tx, context, found, is_resolved))
    if (thread === undefined) throw commentNotFound(commentId)
    return renderComment(context.model, thread as ThreadRow, found.comment) // the driver's type for the result is wider
  })

/** Returns the thread in its new state, and undefined when another request deleted the comment first. */
async function resolveLocked(
  tx: Transaction,
  context: RequestContext,
  { thread: { id: threadId }, comment }: FoundComment,
  isResolved: boolean,
): Promise<ThreadRow | undefined> {
  const thread = await lockThread(tx, context, threadId)
  if (thread === undefined || !(await findCommentRow(context, tx, comment.id))) return undefined
  const headId = await findHeadId(tx, context, thread.id)
  if ((thread.resolved_at !== null) === isResolved || headId === undefined) return thread
  const at = context.now()
  const resolution = isResolved ? { at, by: context.actor } : null
  await setResolution(tx, context, thread.id, resolution)
  const event = commentEvent(isResolved ? 'resolved' : 'unresolved', thread, headId)
  await appendToOutbox(tx, eventOriginOf(context, at), [event])
  return {
    ...thread,
    resolved_at: resolution && timestampFromMicros(at),
    resolved_by: resolution && resolution.by,
  }
}

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
