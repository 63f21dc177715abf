/** The threads of a record or an entry, which follow the comments of other people. */

import {
  createComment,
  deleteComment,
  editComment,
  listThreads,
  setResolved,
  type Subject,
  type Thread,
} from '../../api/comments/comments'
import { followEvents } from '../../state/events/follow-events'
import { RemoteData } from '../../state/reads/remote-data.svelte'
import { session } from '../../state/session.svelte'

export class Threads {
  readonly subject: Subject
  readonly loaded: RemoteData<Thread[]>

  constructor(subject: Subject) {
    this.subject = subject
    this.loaded = new RemoteData((signal) => listThreads(subject, signal))
  }

  /** For use in an effect. */
  follow(): () => void {
    const { kind, id } = this.subject
    return followEvents(
      ({ event_type, record_id, entry_id }) =>
        event_type.startsWith('comment.') && (kind === 'entry' ? entry_id === id : record_id === id && !entry_id),
      () => this.loaded.load(),
    )
  }

  /** Starts a thread, or replies in one. */
  async send(content: string, thread?: Thread): Promise<void> {
    const authorId = session.workspace?.workspace_member_id ?? ''
    const on = thread ? { kind: 'thread' as const, id: thread.id.thread_id } : this.subject
    await createComment({ authorId, content, on })
    await this.loaded.load()
  }

  async setResolved({ comments: [head] }: Thread, isResolved: boolean): Promise<void> {
    if (head) await setResolved(head.id.comment_id, isResolved)
    await this.loaded.load()
  }

  async edit(commentId: string, content: string): Promise<void> {
    await editComment(commentId, content)
    await this.loaded.load()
  }

  async delete(commentId: string): Promise<void> {
    await deleteComment(commentId)
    await this.loaded.load()
  }
}
