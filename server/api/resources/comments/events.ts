/** The change events of comments. See docs/reference/comments.md (Events). */

import type { ThreadRow } from '#crm/comments/store'
import type { ChangeEvent } from '#vocabulary/event-types'

export const commentEvent = (
  change: 'created' | 'deleted' | 'resolved' | 'unresolved',
  thread: ThreadRow,
  comment_id: string,
): ChangeEvent => ({
  event_type: `comment.${change}`,
  id: { comment_id },
  thread_id: thread.id,
  object_id: thread.object_id,
  record_id: thread.record_id,
  list_id: thread.list_id,
  entry_id: thread.entry_id,
})
