/** Threads and comments as clients see them. See docs/reference/comments.md (Members of a comment). */

import { getActor } from '#engine/attribute-types/actor-reference'
import type { DataModel } from '#engine/data-model/model'
import { renderMentions } from './content'
import type { CommentRow, ThreadRow, ThreadWithComments } from './store'
import type { CommentOutput, ThreadOutput, ThreadSummary } from './schemas'

const NO_ACTOR: CommentOutput['resolved_by'] = { type: null, id: null }

/** Every comment shows the state of its thread. Throws `ModelVersionConflict` for an actor that the model lacks. */
export function renderComment(model: DataModel, thread: ThreadRow, comment: CommentRow): CommentOutput {
  const { object_id, record_id, list_id, entry_id, resolved_at, resolved_by } = thread
  return {
    id: { workspace_id: model.workspace.id, comment_id: comment.id },
    thread_id: thread.id,
    content_plaintext: renderMentions(model, comment.content),
    entry: list_id === null || entry_id === null ? null : { entry_id, list_id },
    record: { record_id, object_id },
    resolved_at,
    resolved_by: resolved_by === null ? NO_ACTOR : getActor(model, resolved_by),
    created_at: comment.created_at,
    edited_at: comment.edited_at,
    author: { type: 'workspace-member', id: comment.author_id },
  }
}

export const renderThreadSummary = (model: DataModel, found: ThreadWithComments): ThreadSummary => ({
  ...renderThread(model, found),
  has_more_comments: found.hasMore,
})

export const renderThread = (
  model: DataModel,
  { thread, comments }: Omit<ThreadWithComments, 'hasMore'>,
): ThreadOutput => ({
  id: { workspace_id: model.workspace.id, thread_id: thread.id },
  comments: comments.map((comment) => renderComment(model, thread, comment)),
  created_at: thread.created_at,
})
