/** The floor's threads: rows, answers in the service's shape, and their route. */

import type { Sql } from '#db/connect'
import { type FloorContext, timestamp } from './person'

/** A comment with its thread. */
interface CommentRow {
  readonly id: string
  readonly thread_id: string
  readonly object_id: string
  readonly record_id: string
  readonly author_id: string
  readonly content: string
  readonly created_at: string
  readonly started_at: string
}

const THREADS = `
  with page as (select * from floor.threads where record_id = $1 order by created_at limit 10)
  select c.*, t.object_id, t.record_id, t.created_at as started_at
  from page t join floor.comments c on c.thread_id = t.id order by t.created_at, t.id, c.created_at`

/** The route. Its tables exist when a workload of threads was chosen. */
export const floorThreads = (sql: Sql, context: FloorContext) => ({
  '/v2/threads': {
    GET: async (request: Request) => {
      const recordId = new URL(request.url).searchParams.get('record_id') ?? ''
      const rows = await sql.unsafe<CommentRow[]>(THREADS, [recordId], { prepare: true })
      const threads = Map.groupBy(rows, ({ thread_id }) => thread_id)
      return Response.json({ data: [...threads.values()].map((comments) => renderThread(comments, context)) })
    },
  },
})

const renderThread = (comments: readonly CommentRow[], { workspaceId }: FloorContext) => ({
  id: { workspace_id: workspaceId, thread_id: comments[0]?.thread_id },
  comments: comments.map((row) => ({
    id: { workspace_id: workspaceId, comment_id: row.id },
    thread_id: row.thread_id,
    content_plaintext: row.content,
    entry: null,
    record: { record_id: row.record_id, object_id: row.object_id },
    resolved_at: null,
    resolved_by: { type: null, id: null },
    created_at: timestamp(row.created_at),
    author: { type: 'workspace-member', id: row.author_id },
  })),
  created_at: timestamp(comments[0]?.started_at ?? ''),
  has_more_comments: false,
})
