/** Reads threads with their comments, in one statement. See docs/reference/comments.md (Threads). */

import type { RequestContext } from '#context'
import { type CommentRow, parseComment, parseThread, THREAD_COLUMNS, type ThreadRow } from './store'

export interface ThreadWithComments {
  readonly thread: ThreadRow
  /** In their order, at least one. */
  readonly comments: readonly CommentRow[]
}

export interface ThreadsSlice {
  readonly limit: number
  readonly offset: number
}

/** `condition` begins with the parameter `$2`. */
const statementFor = (condition: string): string => `
  with page as (
    select ${THREAD_COLUMNS.join(', ')} from relata.threads where workspace_id = $1 and ${condition}
    order by created_at, id limit $4 offset $5
  )
  select page.*, c.id as comment_id, c.author_id, c.content, c.created_at as written_at
  from page join relata.comments c on c.workspace_id = $1 and c.thread_id = page.id
  order by page.created_at, page.id, c.created_at, c.id`

const OF_RECORD = statementFor('object_id = $2 and record_id = $3 and entry_id is null')
const OF_ENTRY = statementFor('list_id = $2 and entry_id = $3')
const BY_ID = statementFor('id = $2 and id = $3')

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

export async function findThread(reader: Reader, id: string): Promise<ThreadWithComments | undefined> {
  const [found] = await readThreads(reader, BY_ID, [id, id], { limit: 1, offset: 0 })
  return found
}

type JoinedRow = ThreadRow &
  Pick<CommentRow, 'author_id'> & {
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
    return first === undefined ? [] : [{ thread: threadOf(first), comments: joined.map(commentOf) }]
  })
}

const threadOf = ({ comment_id: _id, author_id: _author, content: _content, written_at: _at, ...thread }: JoinedRow) =>
  parseThread(thread)

const commentOf = ({ id, comment_id, author_id, content, written_at }: JoinedRow): CommentRow =>
  parseComment({ id: comment_id, thread_id: id, author_id, content, created_at: written_at })
