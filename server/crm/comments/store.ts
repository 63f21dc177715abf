/** The rows of threads and comments. See docs/reference/comments.md (Threads, Comments). */

import { type Kysely, sql } from 'kysely'
import type { Sql, Transaction } from '#db/connect'
import type { DB } from '#db/schema'
import type { RequestContext } from '#context'
import { controlQueriesIn, equal, jsonb } from '#engine/data-model/kysely-in-transaction'
import { type Micros, timestampFromMicros, timestampFromPostgres, timestampOrNull } from '#base/timing/clock'
import { type CommentContent, parseContent } from './content'
import type { Subject } from './subject'

export interface ThreadRow extends Subject {
  readonly id: string
  readonly created_at: string
  readonly resolved_at: string | null
  /** The number of the actor. */
  readonly resolved_by: number | null
}

/** A comment without the columns of its thread. */
export interface CommentRow {
  readonly id: string
  readonly thread_id: string
  readonly author_id: string
  readonly content: CommentContent
  readonly created_at: string
  /** When the content was changed last. */
  readonly edited_at: string | null
}

const THREAD_COLUMNS = [
  'id',
  'object_id',
  'record_id',
  'list_id',
  'entry_id',
  'created_at',
  'resolved_at',
  'resolved_by',
] as const
const COMMENT_COLUMNS = ['id', 'thread_id', 'author_id', 'content', 'created_at', 'edited_at'] as const

type Where = Pick<RequestContext, 'db' | 'model'>

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

/** A thread is read as a whole, and a page has up to 50 threads, so a thread is bounded. See docs/decisions/activity-and-tasks.md. */
export const MAX_COMMENTS = 1000
/** Of the stored contents of a thread together. */
export const MAX_THREAD_BYTES = 500_000

/** What a reply or an edit needs of the other comments. */
interface ThreadSummary {
  /** Whether the thread has no room for the content. */
  readonly isFull: boolean
  readonly authors: readonly string[]
}

/** What a thread is to have in addition. */
interface Addition {
  readonly threadId: string
  readonly content: CommentContent
  /** The comment that gets the content. */
  readonly editedId?: string
}

/** Reads the comments of a thread before it gets a reply, or another content of a comment. */
export async function summarizeThread(
  tx: Transaction,
  { model }: Where,
  { threadId, content, editedId }: Addition,
): Promise<ThreadSummary> {
  let others = controlQueriesIn(tx)
    .selectFrom('relata.comments')
    .where(equal({ workspace_id: model.workspace.id, thread_id: threadId }))
  if (editedId !== undefined) others = others.where('id', '<>', editedId)
  const { count, bytes, authors } = await others
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .select(sql<string>`coalesce(sum(octet_length(content::text)), 0)`.as('bytes'))
    .select(sql<string[]>`coalesce(array_agg(distinct author_id), '{}')`.as('authors'))
    .executeTakeFirstOrThrow()
  const isLong = Number(bytes) + Buffer.byteLength(JSON.stringify(content)) > MAX_THREAD_BYTES
  return { isFull: Number(count) >= MAX_COMMENTS || isLong, authors }
}

interface Edit {
  readonly content: CommentContent
  readonly edited_at: string
}

export async function setContent(
  tx: Transaction,
  { model }: Where,
  id: string,
  { content, edited_at }: Edit,
): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.comments')
    .set({ content: jsonb(content), edited_at })
    .where(equal({ workspace_id: model.workspace.id, id }))
    .execute()
}

interface Resolution {
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
    .where(equal({ workspace_id: model.workspace.id, id }))
    .execute()
}

/** Deletes a thread with its comments. */
export async function deleteThreadRow(tx: Transaction, { model }: Where, id: string): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.threads')
    .where(equal({ workspace_id: model.workspace.id, id }))
    .execute()
}

export async function deleteCommentRow(tx: Transaction, { model }: Where, id: string): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.comments')
    .where(equal({ workspace_id: model.workspace.id, id }))
    .execute()
}

const threadsOf = (control: Kysely<DB>, workspaceId: string) =>
  control.selectFrom('relata.threads').select(THREAD_COLUMNS).where('workspace_id', '=', workspaceId)

const commentsOf = (control: Kysely<DB>, workspaceId: string) =>
  control.selectFrom('relata.comments').select(COMMENT_COLUMNS).where('workspace_id', '=', workspaceId)

const parseThread = (row: ThreadRow): ThreadRow => ({
  ...row,
  created_at: timestampFromPostgres(row.created_at),
  resolved_at: timestampOrNull(row.resolved_at),
})

const parseComment = (row: Omit<CommentRow, 'content'> & { readonly content: string }): CommentRow => ({
  ...row,
  content: parseContent(row.content),
  created_at: timestampFromPostgres(row.created_at),
  edited_at: timestampOrNull(row.edited_at),
})

interface EntryCount {
  readonly entry_id: string
  readonly count: number
}

/** The numbers of comments in the unresolved threads of entries. Entries without any are left out. */
export async function countUnresolved(
  sql: Sql,
  { workspaceId, listId }: { readonly workspaceId: string; readonly listId: string },
  entryIds: readonly string[],
): Promise<EntryCount[]> {
  if (entryIds.length === 0) return []
  const rows = await controlQueriesIn(sql)
    .selectFrom('relata.threads as t')
    .innerJoin('relata.comments as c', (join) =>
      join.onRef('c.workspace_id', '=', 't.workspace_id').onRef('c.thread_id', '=', 't.id'),
    )
    .select(({ fn }) => ['t.entry_id', fn.countAll<string>().as('count')])
    .where(equal({ 't.workspace_id': workspaceId, 't.list_id': listId }))
    .where('t.entry_id', 'in', [...entryIds])
    .where('t.resolved_at', 'is', null)
    .groupBy('t.entry_id')
    .execute()
  return rows.flatMap(({ entry_id, count }) => (entry_id === null ? [] : [{ entry_id, count: Number(count) }]))
}

// Reads threads with their comments, in one statement. See docs/reference/comments.md (Threads).

export interface ThreadWithComments {
  readonly thread: ThreadRow
  /** In their order. */
  readonly comments: readonly CommentRow[]
  /** Whether the thread has more comments after these. */
  readonly hasMore: boolean
}

/** The comments of a thread in a list: its head, and the replies after it. */
const MAX_LISTED = 1 + 80

interface ThreadsSlice {
  readonly limit: number
  readonly offset: number
}

/** `condition` begins with the parameter `$2`. */
const statementFor = (condition: string): string => `
  with page as (
    select ${THREAD_COLUMNS.join(', ')} from relata.threads where workspace_id = $1 and ${condition}
    order by created_at, id limit $4 offset $5
  )
  select page.*, c.id as comment_id, c.author_id, c.content, c.created_at as written_at, c.edited_at
  from page cross join lateral (
    select * from relata.comments where workspace_id = $1 and thread_id = page.id
    order by created_at, id limit ${MAX_LISTED + 1}) c
  order by page.created_at, page.id, c.created_at, c.id`

const OF_RECORD = statementFor('object_id = $2 and record_id = $3 and entry_id is null')
const OF_ENTRY = statementFor('list_id = $2 and entry_id = $3')

type Reader = Pick<RequestContext, 'db' | 'model'>

/** The threads on a record itself, by the time of their head. */
export const listThreadsOfRecord = (
  reader: Reader,
  { object_id, record_id }: Pick<ThreadRow, 'object_id' | 'record_id'>,
  slice: ThreadsSlice,
): Promise<ThreadWithComments[]> => readThreads(reader, OF_RECORD, [object_id, record_id], slice)

/** The threads on an entry, by the time of their head. */
export const listThreadsOfEntry = (
  reader: Reader,
  { list_id, entry_id }: { readonly list_id: string; readonly entry_id: string },
  slice: ThreadsSlice,
): Promise<ThreadWithComments[]> => readThreads(reader, OF_ENTRY, [list_id, entry_id], slice)

/** A page of the comments of a thread. */
export interface CommentsPage {
  /** The comment before the page. */
  readonly place: { readonly createdAt: string; readonly id: string } | undefined
  /** Exclusive. */
  readonly createdAfter: string | undefined
  readonly limit: number
}

/** In their order. */
export async function listCommentsOfThread(
  { db, model }: Reader,
  threadId: string,
  { place, createdAfter, limit }: CommentsPage,
): Promise<CommentRow[]> {
  let query = commentsOf(controlQueriesIn(db.sql), model.workspace.id).where('thread_id', '=', threadId)
  if (createdAfter !== undefined) query = query.where('created_at', '>', createdAfter)
  if (place) query = query.where(sql<boolean>`(created_at, id) > (${place.createdAt}::timestamptz, ${place.id}::uuid)`)
  const rows = await query.orderBy('created_at').orderBy('id').limit(limit).execute()
  return rows.map(parseComment)
}

type JoinedRow = ThreadRow &
  Pick<CommentRow, 'author_id' | 'edited_at'> & {
    readonly comment_id: string
    /** JSON. */
    readonly content: string
    readonly written_at: string
  }

async function readThreads(
  { db, model }: Reader,
  statement: string,
  ids: readonly [string, string],
  { limit, offset }: ThreadsSlice,
): Promise<ThreadWithComments[]> {
  const parameters = [model.workspace.id, ...ids, limit, offset]
  const rows = await db.sql.unsafe<JoinedRow[]>(statement, parameters, { prepare: true })
  return [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((joined) => {
    const [first] = joined
    const comments = joined.slice(0, MAX_LISTED).map(commentOf)
    return first === undefined ? [] : [{ thread: threadOf(first), comments, hasMore: joined.length > MAX_LISTED }]
  })
}

const threadOf = ({
  comment_id: _id,
  author_id: _author,
  content: _content,
  written_at: _at,
  edited_at: _edited,
  ...thread
}: JoinedRow) => parseThread(thread)

const commentOf = ({ id, comment_id, author_id, content, written_at, edited_at }: JoinedRow): CommentRow =>
  parseComment({ id: comment_id, thread_id: id, author_id, content, created_at: written_at, edited_at })
