/** Creates a comment, with a new thread or in an existing one. See docs/reference/comments.md (Comments). */

import type { Transaction } from '#db/connect'
import { type Content, parseMentions } from '#crm/comments/content'
import { renderComment } from '#crm/comments/render'
import { lockThread, MAX_COMMENTS, MAX_THREAD_BYTES, summarizeThread, type ThreadRow } from '#crm/comments/store'
import { isVisibleSubject, requireSubjectScopes } from '#crm/comments/subject'
import type { CommentOutput } from '#crm/comments/schemas'
import type { RequestContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { authorIsOtherMember, threadIsFull, unknownThread } from '#base/errors/comments'
import { invalidBody } from '#base/errors/http'
import { readCreationTime } from '#engine/attribute-types/formats/creation-time'
import { unknownMember } from '#base/errors/records'
import { newId } from '#base/ids'
import { notificationsOfComment } from '#crm/inbox/notify-of-comment'
import { runShortTransaction, type LastStatement } from '#engine/storage/short-transaction'
import { timestampFromMicros, type Micros } from '#base/timing/clock'
import { insertNewComment } from './insert-statement'
import type { CommentInput } from './schemas'
import { lockEntry, lockRecord } from './subject-of-body'

interface ParsedComment {
  readonly authorId: string
  readonly content: Content
  readonly at: Micros
}

/** The thread of a new comment. */
interface CommentThread {
  readonly thread: ThreadRow
  readonly isNewThread: boolean
  /** The authors of the comments that it has. */
  readonly authors: readonly string[]
}

/**
 * Throws 400 unless the body names exactly one of a thread, a record and an entry, for a thread that is full, and
 * `value_not_found` for one that does not exist or is not visible, and for an unknown author. Throws 403 without the scopes of the subject, and for a member at
 * the console who names another author.
 */
export async function createComment(context: RequestContext, input: CommentInput): Promise<CommentOutput> {
  requireOneSubject(input)
  const at = readCreationTime(input.created_at, context.now())
  return retryOnConflict(context, async (context) => {
    const comment = { authorId: getAuthorId(context, input), content: parseMentions(context.model, input.content), at }
    return runShortTransaction(context.db, (tx) => createIn(tx, context, input, comment))
  })
}

async function createIn(
  tx: Transaction,
  context: RequestContext,
  input: CommentInput,
  parsed: ParsedComment,
): Promise<LastStatement<CommentOutput>> {
  const { authorId, content, at } = parsed
  const { authors, ...of } = await threadFor(tx, context, input, parsed)
  const created_at = timestampFromMicros(at)
  const comment = { id: newId(), thread_id: of.thread.id, author_id: authorId, content, created_at }
  const notifications = notificationsOfComment(
    context,
    { ...comment, at, list_id: of.thread.list_id, object_id: of.thread.object_id },
    authors,
  )
  return {
    ...insertNewComment(context, { ...of, comment, notifications }),
    result: renderComment(context.model, of.thread, comment),
  }
}

/** The thread that the body names, or a new one. A thread that exists, or the subject of a new one, is locked until the commit. */
async function threadFor(
  tx: Transaction,
  context: RequestContext,
  { thread_id, record, entry }: CommentInput,
  { content, at }: ParsedComment,
): Promise<CommentThread> {
  if (thread_id !== undefined) return lockThreadWithRoom(tx, context, thread_id, content)
  requireSubjectScopes(context, entry === undefined ? 'record' : 'entry')
  const subject = entry ? await lockEntry(tx, context, entry) : record && (await lockRecord(tx, context, record))
  if (subject === undefined) throw new Error('The body names exactly one subject.')
  const created_at = timestampFromMicros(at)
  const thread = { id: newId(), ...subject, created_at, resolved_at: null, resolved_by: null }
  return { thread, isNewThread: true, authors: [] }
}

async function lockThreadWithRoom(
  tx: Transaction,
  context: RequestContext,
  threadId: string,
  content: Content,
): Promise<CommentThread> {
  const thread = await lockThread(tx, context, threadId.toLowerCase())
  if (thread === undefined || !isVisibleSubject(context, thread)) throw unknownThread(threadId)
  requireSubjectScopes(context, thread.entry_id === null ? 'record' : 'entry')
  const { isFull, authors } = await summarizeThread(tx, context, thread.id, content)
  if (isFull) throw threadIsFull(MAX_COMMENTS, MAX_THREAD_BYTES)
  return { thread, isNewThread: false, authors }
}

function requireOneSubject({ thread_id, record, entry }: CommentInput): void {
  if ([thread_id, record, entry].filter((subject) => subject !== undefined).length === 1) return
  const message = 'Exactly one of thread_id, record and entry is required'
  throw invalidBody([{ code: 'invalid', path: ['data'], message }])
}

/** A token comments on behalf of any member, a member in their own name. */
function getAuthorId({ model, memberId, clientId }: RequestContext, { author }: CommentInput): string {
  const id = author.id.toLowerCase()
  if (clientId === undefined && id !== memberId) throw authorIsOtherMember()
  if (!model.membersById.has(id)) throw unknownMember(author.id)
  return id
}
