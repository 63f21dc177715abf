/**
 * Reads comments, creates them, with a new thread or in an existing one, edits and deletes them, and resolves threads.
 * See docs/reference/comments.md (Comments).
 */
import { listAccess } from '#access/list-access/list-access'
import { standardObjectDisabled, unknownObject } from '#base/errors/attributes'
import { emptyPayload, invalidBody, readId } from '#base/errors/http'
import {
  authorIsOtherMember,
  commentNotFound,
  commentOfOtherMember,
  threadIsFull,
  unknownEntry,
  unknownList,
  unknownThread,
} from '#base/errors/meetings'
import { unknownMember, unknownRecord } from '#base/errors/records'
import { newId } from '#base/ids'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import type { RequestContext } from '#context'
import { type CommentContent, mentionedIn, parseMentions } from '#crm/comments/content'
import { renderComment } from '#crm/comments/render'
import type { CommentOutput } from '#crm/comments/schemas'
import {
  type CommentRow,
  deleteCommentRow,
  deleteThreadRow,
  findCommentRow,
  findHeadId,
  findThreadRow,
  lockThread,
  MAX_COMMENTS,
  MAX_THREAD_BYTES,
  setContent,
  setResolution,
  summarizeThread,
  type ThreadRow,
} from '#crm/comments/store'
import { isVisibleSubject, requireSubjectScopes, type Subject } from '#crm/comments/subject'
import {
  insertNotifications,
  type NewNotification,
  notificationsOfComment,
  notificationSteps,
  notificationTexts,
} from '#crm/inbox/notify'
import type { Transaction } from '#db/connect'
import { readCreationTime } from '#engine/attribute-types/formats/creation-time'
import { findList, findObject } from '#engine/data-model/find'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { appendToOutbox, eventOriginOf } from '#engine/outbox/outbox'
import { lockAgainstDeletion, lockWithParent } from '#engine/storage/read-entities'
import { type LastStatement, runShortTransaction } from '#engine/storage/short-transaction'
import {
  compileStatement,
  type ParameterTexts,
  type Placeholder,
  type Statement,
  typedParam,
} from '#engine/storage/statement'
import { outboxStep, outboxTexts } from '#engine/storage/statements/outbox-step'
import type { ChangeEvent } from '#vocabulary/event-types'
import type { CommentChange, CommentInput } from './schemas'

interface ParsedComment {
  readonly authorId: string
  readonly content: CommentContent
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
  const comment = { id: newId(), thread_id: of.thread.id, author_id: authorId, content, created_at, edited_at: null }
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
  content: CommentContent,
): Promise<CommentThread> {
  const thread = await lockThread(tx, context, threadId.toLowerCase())
  if (thread === undefined || !isVisibleSubject(context, thread)) throw unknownThread(threadId)
  requireSubjectScopes(context, thread.entry_id === null ? 'record' : 'entry')
  const { isFull, authors } = await summarizeThread(tx, context, { threadId: thread.id, content })
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

/** The statement that inserts a comment with its thread, notifications and change event. See docs/decisions/writes.md. */
interface NewComment {
  readonly thread: ThreadRow
  readonly isNewThread: boolean
  readonly comment: CommentRow
  readonly notifications: readonly NewNotification[]
}

type Step = (param: Placeholder) => string

const insertThread: Step = (param) => `thread as (
  insert into relata.threads (workspace_id, id, object_id, record_id, list_id, entry_id, created_at)
  values (${typedParam(param, 'workspace', 'uuid')}, ${typedParam(param, 'thread', 'uuid')}, ${typedParam(param, 'object', 'uuid')},
    ${typedParam(param, 'record', 'uuid')}, ${typedParam(param, 'list', 'uuid')}, ${typedParam(param, 'entry', 'uuid')},
    ${typedParam(param, 'created_at', 'timestamptz')}))`

/** A comment may have an earlier time than its thread. The thread then gets the time of that comment, which becomes its head. */
const lowerThreadCreation: Step = (param) => `thread as (
  update relata.threads set created_at = ${typedParam(param, 'created_at', 'timestamptz')}
  where workspace_id = ${typedParam(param, 'workspace', 'uuid')} and id = ${typedParam(param, 'thread', 'uuid')}
    and created_at > ${typedParam(param, 'created_at', 'timestamptz')})`

/** The row repeats the record and the list of the thread, for the activity of the record. */
const insertComment: Step = (param) => `comment as (
  insert into relata.comments (workspace_id, id, thread_id, record_id, list_id, author_id, content, created_at)
  values (${typedParam(param, 'workspace', 'uuid')}, ${typedParam(param, 'id', 'uuid')}, ${typedParam(param, 'thread', 'uuid')},
    ${typedParam(param, 'record', 'uuid')}, ${typedParam(param, 'list', 'uuid')}, ${typedParam(param, 'author', 'uuid')},
    ${typedParam(param, 'content', 'jsonb')}, ${typedParam(param, 'created_at', 'timestamptz')}) returning id)`

const statementWith = (writeThread: Step, notify: (param: Placeholder) => string[]): Statement =>
  compileStatement((param) => {
    const steps = [writeThread(param), insertComment(param), ...notify(param), outboxStep(param, 'comment')]
    return `with ${steps.join(', ')} select 1`
  })

/** Without and with notifications. */
const FIRST_COMMENT = [statementWith(insertThread, () => []), statementWith(insertThread, notificationSteps)] as const
const REPLY = [
  statementWith(lowerThreadCreation, () => []),
  statementWith(lowerThreadCreation, notificationSteps),
] as const

/** The author of the comment causes its notifications; the actor of the context causes its event. */
function insertNewComment(
  context: RequestContext,
  { thread, isNewThread, comment, notifications }: NewComment,
): { readonly statement: Statement; readonly texts: ParameterTexts } {
  const { model } = context
  const events = [commentEvent('created', thread, comment.id)]
  return {
    statement: (isNewThread ? FIRST_COMMENT : REPLY)[notifications.length > 0 ? 1 : 0],
    texts: {
      workspace: model.workspace.id,
      thread: thread.id,
      object: thread.object_id,
      record: thread.record_id,
      list: thread.list_id,
      entry: thread.entry_id,
      id: comment.id,
      author: comment.author_id,
      content: JSON.stringify(comment.content),
      created_at: comment.created_at,
      ...notificationTexts({ actor: authorActor(context, comment), at: context.now() }, notifications),
      ...outboxTexts({ origin: eventOriginOf(context), events }),
    },
  }
}

/** Finds the record or the entry that the body of a new comment names. */
type RecordInput = NonNullable<CommentInput['record']>
type EntryInput = NonNullable<CommentInput['entry']>

/** Locks the record until the comment is committed. Throws 400 for an unknown object or record, and a disabled object. */
async function lockRecord(
  tx: Transaction,
  { model }: RequestContext,
  { object: slugOrId, record_id }: RecordInput,
): Promise<Subject> {
  const object = findObject(model, slugOrId)
  if (object === undefined) throw unknownObject(slugOrId)
  if (!object.is_enabled) throw standardObjectDisabled(object.id)
  const id = record_id.toLowerCase()
  if (!(await lockAgainstDeletion(tx, object, id))) throw unknownRecord(object.api_slug, record_id)
  return { object_id: object.id, record_id: id, list_id: null, entry_id: null }
}

/** Locks the entry until the comment is committed. Throws 400 for an unknown or invisible list, and an unknown entry. */
async function lockEntry(
  tx: Transaction,
  context: RequestContext,
  { list: slugOrId, entry_id }: EntryInput,
): Promise<Subject> {
  const list = findList(context.model, slugOrId)
  if (list === undefined || listAccess(context, list) === undefined) throw unknownList(slugOrId)
  const id = entry_id.toLowerCase()
  const parent = await lockWithParent(tx, list, id)
  if (parent === undefined) throw unknownEntry(entry_id)
  return { object_id: parent.objectId, record_id: parent.recordId, list_id: list.id, entry_id: id }
}

/**
 * Changes the content of a comment, and resolves its thread or makes it unresolved.
 * Throws 400 for an empty change, 403 without the scopes of the subject and for the content of another member, and 404.
 * See docs/reference/comments.md (Editing, Resolving).
 */
export const updateComment = (
  context: RequestContext,
  commentId: string,
  { content, is_resolved }: CommentChange,
): Promise<CommentOutput> =>
  retryOnConflict(context, async (context) => {
    if (content === undefined && is_resolved === undefined) throw emptyPayload()
    const found = await findVisibleComment(context, commentId)
    requireSubjectScopes(context, found.thread.entry_id === null ? 'record' : 'entry')
    if (content !== undefined && context.clientId === undefined && found.comment.author_id !== context.memberId)
      throw commentOfOtherMember()
    const parsed = content === undefined ? undefined : parseMentions(context.model, content)
    const updated = await context.db.sql.begin(async (tx): Promise<FoundComment | undefined> => {
      const thread = await lockThread(tx, context, found.thread.id)
      const comment = thread && (await findCommentRow(context, tx, found.comment.id))
      if (thread === undefined || comment === undefined) return undefined // another request deleted it first
      return {
        comment: parsed === undefined ? comment : await editLocked(tx, context, { thread, comment }, parsed),
        thread: is_resolved === undefined ? thread : await resolveLocked(tx, context, thread, is_resolved),
      }
    })
    if (updated === undefined) throw commentNotFound(commentId)
    const { thread, comment } = updated as FoundComment // the driver's type for the result is wider
    return renderComment(context.model, thread, comment)
  })

/** Returns the comment with its new content. Notifies the members whom only the new content mentions. */
async function editLocked(
  tx: Transaction,
  context: RequestContext,
  { thread, comment }: FoundComment,
  content: CommentContent,
): Promise<CommentRow> {
  if (JSON.stringify(content) === JSON.stringify(comment.content)) return comment
  const { isFull } = await summarizeThread(tx, context, { threadId: thread.id, content, editedId: comment.id })
  if (isFull) throw threadIsFull(MAX_COMMENTS, MAX_THREAD_BYTES)
  const at = context.now()
  const edited = { ...comment, content, edited_at: timestampFromMicros(at) }
  await setContent(tx, context, comment.id, edited)
  const before = mentionedIn(comment.content)
  const { list_id, object_id } = thread
  const mentioned = notificationsOfComment(context, { ...edited, at, list_id, object_id }, []).filter(
    ({ memberId }) => !before.includes(memberId),
  )
  const origin = { workspaceId: context.model.workspace.id, actor: authorActor(context, comment), at }
  await insertNotifications(tx, origin, mentioned)
  await appendToOutbox(tx, eventOriginOf(context, at), [commentEvent('updated', thread, comment.id)])
  return edited
}

/** The number of the actor who causes the notifications of a comment. */
const authorActor = ({ model, actor }: RequestContext, { author_id }: CommentRow): number =>
  model.membersById.get(author_id)?.actor ?? actor

/** Returns the thread in its new state. The state belongs to the thread, so its event names the head. */
async function resolveLocked(
  tx: Transaction,
  context: RequestContext,
  thread: ThreadRow,
  isResolved: boolean,
): Promise<ThreadRow> {
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

/**
 * Deletes a comment; with the head, its thread. Throws 404, and 403 for a token that acts for another member than the author.
 * See docs/reference/comments.md (Comments).
 */
export const deleteComment = (context: RequestContext, commentId: string): Promise<void> =>
  retryOnConflict(context, async (context) => {
    const found = await findVisibleComment(context, commentId)
    if (context.tokenLevel === 'user' && found.comment.author_id !== context.memberId) throw commentOfOtherMember()
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

/** The change events of comments. See docs/reference/comments.md (Events). */
const commentEvent = (
  change: 'created' | 'updated' | 'deleted' | 'resolved' | 'unresolved',
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

interface FoundComment {
  readonly thread: ThreadRow
  readonly comment: CommentRow
}

/** Throws as `findVisibleComment`, and 403 without the scopes that reading its subject requires. */
export const getComment = (context: RequestContext, commentId: string): Promise<CommentOutput> =>
  retryOnConflict(context, async (context) => {
    const { thread, comment } = await findVisibleComment(context, commentId)
    requireSubjectScopes(context, thread.entry_id === null ? 'record' : 'entry')
    return renderComment(context.model, thread, comment)
  })

/** Throws 400 for an id that is no UUID, and 404 when the comment does not exist or its list is not visible. */
async function findVisibleComment(context: RequestContext, commentId: string): Promise<FoundComment> {
  const comment = await findCommentRow(context, context.db.sql, readId('Comment', commentId))
  const thread = comment && (await findThreadRow(context, comment.thread_id))
  if (comment === undefined || thread === undefined || !isVisibleSubject(context, thread))
    throw commentNotFound(commentId)
  return { thread, comment }
}
