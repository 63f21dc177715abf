/** Creates a comment, with a new thread or in an existing one. See docs/reference/comments.md (Comments). */

import type { Transaction } from '../../../db/connect'
import { type Content, parseMentions } from '../../comments/content'
import { renderComment } from '../../comments/render'
import {
  insertComment,
  insertThread,
  isFull,
  lockThread,
  lowerThreadCreation,
  MAX_COMMENTS,
  MAX_THREAD_BYTES,
  type ThreadRow,
} from '../../comments/store'
import { isVisibleSubject, requireSubjectScopes } from '../../comments/subject'
import type { CommentOutput } from '../../comments/schemas'
import type { RequestContext } from '../../context'
import { retryOnConflict } from '../../entities/write/retry-on-conflict'
import { authorIsOtherMember, threadIsFull, unknownThread } from '../../errors/comments'
import { invalidBody } from '../../errors/http'
import { readCreationTime } from '../../attribute-types/formats/creation-time'
import { unknownMember } from '../../errors/records'
import { appendToOutbox, eventOriginOf } from '../../events/outbox'
import { newId } from '../../ids'
import { notifyOfComment } from '../../inbox/notify-of-comment'
import { timestampFromMicros, type Micros } from '../../timing/clock'
import { commentEvent } from './events'
import type { CommentInput } from './schemas'
import { lockEntry, lockRecord } from './subject-of-body'

interface NewComment {
  readonly authorId: string
  readonly content: Content
  readonly at: Micros
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
    const created = await context.db.sql.begin((tx) => createIn(tx, context, input, comment))
    return created as CommentOutput // the driver's type for the callback's result is wider
  })
}

async function createIn(
  tx: Transaction,
  context: RequestContext,
  input: CommentInput,
  comment: NewComment,
): Promise<CommentOutput> {
  const { authorId, content, at } = comment
  const created_at = timestampFromMicros(at)
  const thread = await threadFor(tx, context, input, comment)
  const row = { id: newId(), thread_id: thread.id, author_id: authorId, content, created_at }
  await insertComment(tx, context, thread, row)
  await lowerThreadCreation(tx, context, thread.id, created_at)
  await notifyOfComment(tx, context, { ...row, at, list_id: thread.list_id })
  await appendToOutbox(tx, eventOriginOf(context), [commentEvent('created', thread, row.id)])
  return renderComment(context.model, thread, row)
}

/** The thread that the body names, or a new one. It is locked until the comment is committed. */
async function threadFor(
  tx: Transaction,
  context: RequestContext,
  { thread_id, record, entry }: CommentInput,
  { content, at }: NewComment,
): Promise<ThreadRow> {
  if (thread_id !== undefined) return lockThreadWithRoom(tx, context, thread_id, content)
  requireSubjectScopes(context, entry === undefined ? 'record' : 'entry')
  const subject = entry ? await lockEntry(tx, context, entry) : record && (await lockRecord(tx, context, record))
  if (subject === undefined) throw new Error('The body names exactly one subject.')
  const created_at = timestampFromMicros(at)
  const thread = { id: newId(), ...subject, created_at, resolved_at: null, resolved_by: null }
  await insertThread(tx, context, thread)
  return thread
}

async function lockThreadWithRoom(
  tx: Transaction,
  context: RequestContext,
  threadId: string,
  content: Content,
): Promise<ThreadRow> {
  const thread = await lockThread(tx, context, threadId.toLowerCase())
  if (thread === undefined || !isVisibleSubject(context, thread)) throw unknownThread(threadId)
  requireSubjectScopes(context, thread.entry_id === null ? 'record' : 'entry')
  if (await isFull(tx, context, thread.id, content)) throw threadIsFull(MAX_COMMENTS, MAX_THREAD_BYTES)
  return thread
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
