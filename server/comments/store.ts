/** The rows of threads and comments. See docs/reference/comments.md (Threads, Comments). */

import { type Kysely, sql } from 'kysely'
import type { Sql, Transaction } from '../../db/connect'
import type { DB } from '../../db/schema'
import type { RequestContext } from '../context'
import { controlQueriesIn, jsonb } from '../data-model/kysely-in-transaction'
import { timestampFromMicros, timestampFromPostgres, type Micros } from '../timing/clock'
import type { Content } from './content'
import type { Subject } from './subject'

export interface ThreadRow extends Subject {
  readonly id: string
  readonly created_at: string
  readonly resolved_at: string | null
  /** The number of the actor. */
  readonly resolved_by: number | null
}

/** A comment, without what it has from its thread. */
export interface CommentRow {
  readonly id: string
  readonly thread_id: string
  readonly author_id: string
  readonly content: Content
  readonly created_at: string
}

const THREAD = [
  'id',
  'object_id',
  'record_id',
  'list_id',
  'entry_id',
  'created_at',
  'resolved_at',
  'resolved_by',
] as const
const COMMENT = ['id', 'thread_id', 'author_id', 'content', 'created_at'] as const

export interface ThreadsSlice {
  readonly limit: number
  readonly offset: number
}

type Where = Pick<RequestContext, 'db' | 'model'>

/** The threads on a record itself, by the time of their first comment. */
export async function listThreadsOfRecord(
  { db, model }: Where,
  { object_id, record_id }: Pick<Subject, 'object_id' | 'record_id'>,
  { limit, offset }: ThreadsSlice,
): Promise<ThreadRow[]> {
  const rows = await threadsOf(controlQueriesIn(db.sql), model.workspace.id)
    .where('object_id', '=', object_id)
    .where('record_id', '=', record_id)
    .where('entry_id', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute()
  return rows.map(parseThread)
}

/** The threads on an entry, by the time of their first comment. */
export async function listThreadsOfEntry(
  { db, model }: Where,
  { list_id, entry_id }: { readonly list_id: string; readonly entry_id: string },
  { limit, offset }: ThreadsSlice,
): Promise<ThreadRow[]> {
  const rows = await threadsOf(controlQueriesIn(db.sql), model.workspace.id)
    .where('list_id', '=', list_id)
    .where('entry_id', '=', entry_id)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute()
  return rows.map(parseThread)
}

export async function findThreadRow({ db, model }: Where, id: string): Promise<ThreadRow | undefined> {
  const row = await threadsOf(controlQueriesIn(db.sql), model.workspace.id).where('id', '=', id).executeTakeFirst()
  return row && parseThread(row)
}

/** Lets one write of the thread at a time continue. */
export async function lockThread(tx: Transaction, { model }: Where, id: string): Promise<ThreadRow | undefined> {
  const row = await threadsOf(controlQueriesIn(tx), model.workspace.id)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row && parseThread(row)
}

/** The comments of threads, in their order. */
export async function listCommentRows(
  { model }: Where,
  on: Sql | Transaction,
  threadIds: readonly string[],
): Promise<CommentRow[]> {
  if (threadIds.length === 0) return []
  const rows = await commentsOf(controlQueriesIn(on), model.workspace.id)
    .where(sql<boolean>`thread_id = any(${`{${threadIds.join(',')}}`}::uuid[])`)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(parseComment)
}

export async function findCommentRow(
  { model }: Where,
  on: Sql | Transaction,
  id: string,
): Promise<CommentRow | undefined> {
  const row = await commentsOf(controlQueriesIn(on), model.workspace.id).where('id', '=', id).executeTakeFirst()
  return row && parseComment(row)
}

/** The head of a thread: its first comment. */
export async function findHeadId(tx: Transaction, { model }: Where, threadId: string): Promise<string | undefined> {
  const row = await commentsOf(controlQueriesIn(tx), model.workspace.id)
    .where('thread_id', '=', threadId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

export async function insertThread(tx: Transaction, { model }: Where, thread: ThreadRow): Promise<void> {
  await controlQueriesIn(tx)
    .insertInto('relata.threads')
    .values({ workspace_id: model.workspace.id, ...thread })
    .execute()
}

export async function insertComment(tx: Transaction, { model }: Where, comment: CommentRow): Promise<void> {
  await controlQueriesIn(tx)
    .insertInto('relata.comments')
    .values({ workspace_id: model.workspace.id, ...comment, content: jsonb(comment.content) })
    .execute()
}

/** A thread begins with its first comment, also when that was written later. */
export async function moveBeginning(tx: Transaction, { model }: Where, id: string, created_at: string): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.threads')
    .set({ created_at })
    .where('workspace_id', '=', model.workspace.id)
    .where('id', '=', id)
    .where('created_at', '>', created_at)
    .execute()
}

export interface Resolution {
  readonly at: Micros
  /** The number of the actor. */
  readonly by: number
}

/** Null makes the thread unresolved. */
export async function setResolution(
  tx: Transaction,
  { model }: Where,
  id: string,
  resolution: Resolution | null,
): Promise<void> {
  const resolved_at = resolution && timestampFromMicros(resolution.at)
  await controlQueriesIn(tx)
    .updateTable('relata.threads')
    .set({ resolved_at, resolved_by: resolution && resolution.by })
    .where('workspace_id', '=', model.workspace.id)
    .where('id', '=', id)
    .execute()
}

/** Deletes a thread with its comments. */
export async function deleteThreadRow(tx: Transaction, { model }: Where, id: string): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.threads')
    .where('workspace_id', '=', model.workspace.id)
    .where('id', '=', id)
    .execute()
}

export async function deleteCommentRow(tx: Transaction, { model }: Where, id: string): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.comments')
    .where('workspace_id', '=', model.workspace.id)
    .where('id', '=', id)
    .execute()
}

const threadsOf = (control: Kysely<DB>, workspaceId: string) =>
  control.selectFrom('relata.threads').select(THREAD).where('workspace_id', '=', workspaceId)

const commentsOf = (control: Kysely<DB>, workspaceId: string) =>
  control.selectFrom('relata.comments').select(COMMENT).where('workspace_id', '=', workspaceId)

const parseThread = (row: ThreadRow): ThreadRow => ({
  ...row,
  created_at: timestampFromPostgres(row.created_at),
  resolved_at: row.resolved_at === null ? null : timestampFromPostgres(row.resolved_at),
})

const parseComment = (row: Omit<CommentRow, 'content'> & { readonly content: string }): CommentRow => ({
  ...row,
  content: JSON.parse(row.content) as Content, // as `insertComment` writes it
  created_at: timestampFromPostgres(row.created_at),
})
