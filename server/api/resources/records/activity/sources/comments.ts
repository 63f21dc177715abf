import { sql } from 'kysely'
import { renderArray } from '#db/connect'
import { parseContent, renderMentions } from '#crm/comments/content'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { includesScope } from '#vocabulary/scopes'
import { microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import { itemText } from '#api/resources/records/activity/item-text'
import type { ActivityRead, ActivitySource } from '#api/resources/records/activity/source'
import { ENTRY_SCOPES, visibleListsOf } from '#api/resources/records/activity/visible-lists'

interface CommentRow {
  readonly id: string
  readonly thread_id: string
  readonly list_id: string | null
  readonly entry_id: string | null
  readonly author_id: string
  readonly created_at: string
  readonly content: string
}

/** Comments on the record, and on its entries in lists that the caller sees. The actor is the author. */
export const commentsSource: ActivitySource = {
  type: 'comment.created',
  rank: 9,
  scopes: ['comment:read'],
  async read(read) {
    const { model } = read.context
    const rows = await listComments(read)
    return rows.map(({ id, thread_id, list_id, entry_id, author_id, created_at, content }) => {
      const at = microsFromPostgres(created_at)
      const actor = model.membersById.get(author_id)?.actor
      const content_plaintext = renderMentions(model, parseContent(content))
      const comment = JSON.stringify({ comment_id: id, thread_id, list_id, entry_id, content_plaintext })
      return { at, id, text: itemText(model, { type: 'comment.created', at, actor }, { comment }) }
    })
  },
}

/** The comments of a record are one range of an index. Contents are read for the page only. */
async function listComments(read: ActivityRead): Promise<CommentRow[]> {
  const { context, recordId, at, id, limit } = read
  const workspaceId = context.model.workspace.id
  const { rows } = await sql<CommentRow>`
    with page as materialized (
      select id, created_at, list_id from relata.comments
      where workspace_id = ${workspaceId} and record_id = ${recordId}
        and (created_at, id) < (${timestampFromMicros(at)}::timestamptz, ${id}::uuid)
        and (list_id is null or list_id = any(${renderArray(listsOfThreads(read))}::uuid[]))
      order by created_at desc, id desc limit ${limit}
    )
    select page.id, page.created_at, page.list_id, c.thread_id, c.author_id, c.content, t.entry_id
    from page
    join relata.comments c on c.workspace_id = ${workspaceId} and c.id = page.id
    join relata.threads t on t.workspace_id = ${workspaceId} and t.id = c.thread_id
    order by page.created_at desc, page.id desc`.execute(controlQueriesIn(context.db.sql))
  return rows
}

/** The lists with entries whose threads the caller may read. */
function listsOfThreads(read: ActivityRead): string[] {
  const mayRead = ENTRY_SCOPES.every((scope) => includesScope(read.context.scopes, scope))
  return mayRead ? visibleListsOf(read).map((list) => list.id) : []
}
