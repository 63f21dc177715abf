/** Threads and comments as clients see them. See docs/reference/comments.md (Members of a comment). */

import { renderActor } from '../attribute-types/actor-reference'
import type { DataModel } from '../data-model/model'
import { renderContent } from './content'
import type { CommentRow, ThreadRow } from './store'
import type { CommentOutput, ThreadOutput } from './wire'

const NO_ACTOR: CommentOutput['resolved_by'] = { type: null, id: null }

/** Every comment shows the state of its thread. Throws `ModelVersionConflict` for an actor that the model lacks. */
export function renderComment(model: DataModel, thread: ThreadRow, comment: CommentRow): CommentOutput {
  const { object_id, record_id, list_id, entry_id, resolved_at, resolved_by } = thread
  return {
    id: { workspace_id: model.workspace.id, comment_id: comment.id },
    thread_id: thread.id,
    content_plaintext: renderContent(model, comment.content),
    entry: list_id === null || entry_id === null ? null : { entry_id, list_id },
    record: { record_id, object_id },
    resolved_at,
    resolved_by: resolved_by === null ? NO_ACTOR : JSON.parse(renderActor(model)(resolved_by)),
    created_at: comment.created_at,
    author: { type: 'workspace-member', id: comment.author_id },
  }
}

/** The threads with their comments, in the order of the threads. */
export function renderThreads(
  model: DataModel,
  threads: readonly ThreadRow[],
  comments: readonly CommentRow[],
): ThreadOutput[] {
  const byThread = Map.groupBy(comments, ({ thread_id }) => thread_id)
  return threads.flatMap((thread) => {
    // A thread that was deleted between the two reads has no comments left.
    const own = byThread.get(thread.id)
    if (own === undefined) return []
    return [
      {
        id: { workspace_id: model.workspace.id, thread_id: thread.id },
        comments: own.map((comment) => renderComment(model, thread, comment)),
        created_at: own[0]?.created_at ?? thread.created_at,
      },
    ]
  })
}
