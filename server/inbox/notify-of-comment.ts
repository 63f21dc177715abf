/** Notifies the members whom a new comment mentions, and those who wrote in its thread. See docs/reference/inbox.md (What notifies). */

import type { Transaction } from '../../db/connect'
import { type Content, mentionedIn } from '../comments/content'
import type { RequestContext } from '../context'
import { controlQueriesIn } from '../data-model/kysely-in-transaction'
import type { Micros } from '../timing/clock'
import { insertNotifications, type NewNotification } from './notify'
import { recipientsAmong } from './recipients'

export interface WrittenComment {
  readonly id: string
  readonly thread_id: string
  readonly author_id: string
  readonly content: Content
  /** The time that the comment shows. */
  readonly at: Micros
  readonly list_id: string | null
}

/** Older comments count as imported and cause no notifications. */
const MAX_AGE: Micros = 24 * 3_600_000_000

export async function notifyOfComment(
  tx: Transaction,
  context: RequestContext,
  comment: WrittenComment,
): Promise<void> {
  const { model } = context
  const now = context.now()
  if (comment.at < now - MAX_AGE) return
  const mentioned = mentionedIn(comment.content)
  const repliedTo = await listOtherAuthors(tx, context, comment)
  const own = new Set([comment.author_id, actingMember(context)])
  const others = [...new Set([...mentioned, ...repliedTo])].filter((id) => !own.has(id))
  const notifications = recipientsAmong(model, others, comment.list_id).map(({ id }): NewNotification => ({
    memberId: id,
    kind: mentioned.includes(id) ? 'mention' : 'reply',
    commentId: comment.id,
    taskId: null,
  }))
  const actor = model.membersById.get(comment.author_id)?.actor ?? context.actor
  await insertNotifications(tx, { workspaceId: model.workspace.id, actor, at: now }, notifications)
}

/** Undefined for a token, even if a member authorized it: the member is notified of what the token writes. */
export const actingMember = ({ clientId, memberId }: RequestContext): string | undefined =>
  clientId === undefined ? memberId : undefined

/** The authors of the other comments of the thread. */
async function listOtherAuthors(
  tx: Transaction,
  { model }: RequestContext,
  { id, thread_id }: WrittenComment,
): Promise<string[]> {
  const rows = await controlQueriesIn(tx)
    .selectFrom('relata.comments')
    .select('author_id')
    .distinct()
    .where('workspace_id', '=', model.workspace.id)
    .where('thread_id', '=', thread_id)
    .where('id', '<>', id)
    .execute()
  return rows.map(({ author_id }) => author_id)
}
