/** Which members a new comment notifies: those whom it mentions, and those who wrote in its thread. See docs/reference/inbox.md (What notifies). */

import { type Content, mentionedIn } from '#crm/comments/content'
import type { RequestContext } from '#context'
import type { Micros } from '#base/timing/clock'
import type { NewNotification } from './notify'
import { recipientsAmong } from './recipients'

export interface WrittenComment {
  readonly id: string
  readonly author_id: string
  readonly content: Content
  /** The time that the comment shows. */
  readonly at: Micros
  readonly object_id: string
  readonly list_id: string | null
}

/** Older comments count as imported and cause no notifications. */
const MAX_AGE: Micros = 24 * 3_600_000_000

/** The notifications of a new comment. `authors` are the authors of the comments before it in the thread. */
export function notificationsOfComment(
  context: RequestContext,
  comment: WrittenComment,
  authors: readonly string[],
): NewNotification[] {
  if (comment.at < context.now() - MAX_AGE) return []
  const mentioned = mentionedIn(comment.content)
  const own = new Set([comment.author_id, actingMember(context)])
  const others = [...new Set([...mentioned, ...authors])].filter((id) => !own.has(id))
  return recipientsAmong(context.model, others, comment).map(({ id }) => ({
    memberId: id,
    kind: mentioned.includes(id) ? 'mention' : 'reply',
    commentId: comment.id,
    taskId: null,
  }))
}

/** Undefined for a token, even if a member authorized it: the member is notified of what the token writes. */
export const actingMember = ({ clientId, memberId }: RequestContext): string | undefined =>
  clientId === undefined ? memberId : undefined
