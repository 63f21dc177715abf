/** Sources of the activity. What is attached to a record: tasks, notes, comments, meetings, emails and files. */

import { type OrderByItemBuilder, sql } from 'kysely'
import { controlQueriesIn, equal, onEqual } from '#engine/data-model/kysely-in-transaction'
import { includesScope, type Scope } from '#vocabulary/scopes'
import { microsFromPostgres, timestampFromMicros, timestampFromPostgres } from '#base/timing/clock'
import { type ActivityRead, type ActivitySource, type Item, itemText } from './source'
import { renderArray } from '#db/connect'
import { parseContent, renderMentions } from '#crm/comments/content'
import { ENTRY_SCOPES, visibleListsOf } from './record-sources'
import type { DataModel } from '#engine/data-model/model'
import type { StoredEmail } from '#crm/mailboxes/email'
import { findAddressesOf } from '#crm/mailboxes/linked-contacts'
import { listEmailRows, viewerOf } from '#crm/mailboxes/list-emails'
import {
  BUSY,
  CALENDARS_SQL,
  findHiddenCalendars,
  isMeetingHidden,
  parseCalendars,
  visibilityOf,
} from '#crm/meetings/visibility'

const SCOPES: readonly Scope[] = ['task:read', 'user_management:read']

/** Tasks that were linked to the record and still are. */
export const tasksLinkedSource: ActivitySource = {
  type: 'task.linked',
  rank: 6,
  scopes: SCOPES,
  async read(read) {
    const rows = await linksOf(read, 'linked_at')
    return rows.map((row) => taskItem(read, 'task.linked', row, row.linked_at, row.linked_by))
  },
}

/** Tasks of the record that are completed. */
export const tasksCompletedSource: ActivitySource = {
  type: 'task.completed',
  rank: 7,
  scopes: SCOPES,
  async read(read) {
    const rows = await linksOf(read, 'completed_at')
    return rows.map((row) => taskItem(read, 'task.completed', row, row.completed_at ?? row.linked_at, row.completed_by))
  },
}

interface LinkRow {
  readonly task_id: string
  readonly content: string
}

/** A page of the record's links, newest first. A page by `completed_at` leaves out open tasks, whose time is null. */
const linksOf = ({ context, object, recordId, at, id, limit }: ActivityRead, time: 'linked_at' | 'completed_at') =>
  controlQueriesIn(context.db.sql)
    .with('page', (query) =>
      query
        .selectFrom('relata.task_links')
        .select(['workspace_id', 'task_id', 'linked_at', 'linked_by', 'completed_at'])
        .where(equal({ workspace_id: context.model.workspace.id, object_id: object.id, record_id: recordId }))
        .where(({ eb, refTuple, tuple }) => eb(refTuple(time, 'task_id'), '<', tuple(timestampFromMicros(at), id)))
        .orderBy(time, newestFirst(time))
        .orderBy('task_id', 'desc')
        .limit(limit),
    )
    .selectFrom('page')
    .innerJoin('relata.tasks as t', onEqual({ 't.workspace_id': 'page.workspace_id', 't.id': 'page.task_id' }))
    .select(['page.task_id', 'page.linked_at', 'page.linked_by', 'page.completed_at', 't.completed_by', 't.content'])
    .orderBy(`page.${time}`, newestFirst(time))
    .orderBy('page.task_id', 'desc')
    .execute()

/** The reverse of each index's order of nulls, so that PostgreSQL reads the index backward. */
const newestFirst = (time: 'linked_at' | 'completed_at') => (order: OrderByItemBuilder) =>
  time === 'linked_at' ? order.desc() : order.desc().nullsLast()

function taskItem(
  { context }: ActivityRead,
  type: 'task.linked' | 'task.completed',
  { task_id, content }: LinkRow,
  time: string,
  actor: number | null,
): Item {
  const at = microsFromPostgres(time)
  const task = JSON.stringify({ task_id, content_plaintext: content })
  return { at, id: task_id, text: itemText(context.model, { type, at, actor }, { task }) }
}

/** Notes about the record. */
export const notesSource: ActivitySource = {
  type: 'note.created',
  rank: 8,
  scopes: ['note:read'],
  async read({ context, object, recordId, at, id, limit }) {
    const rows = await controlQueriesIn(context.db.sql)
      .selectFrom('relata.notes')
      .select(['id', 'title', 'created_at', 'created_by'])
      .where(
        equal({ workspace_id: context.model.workspace.id, parent_object_id: object.id, parent_record_id: recordId }),
      )
      .where(({ eb, refTuple, tuple }) => eb(refTuple('created_at', 'id'), '<', tuple(timestampFromMicros(at), id)))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
    return rows.map((row) => {
      const head = { type: 'note.created', at: microsFromPostgres(row.created_at), actor: row.created_by } as const
      const note = JSON.stringify({ note_id: row.id, title: row.title })
      return { at: head.at, id: row.id, text: itemText(context.model, head, { note }) }
    })
  },
}

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

/** Meetings that are linked to the record, at their start. */
export const meetingsSource: ActivitySource = {
  type: 'meeting.linked',
  rank: 10,
  scopes: ['meeting:read'],
  async read({ context, object, recordId, at, id, limit }) {
    const viewer = viewerOf(context)
    const hidden = await findHiddenCalendars(context.db.sql, context.model.workspace.id, viewer)
    const rows = await controlQueriesIn(context.db.sql)
      .with('page', (query) =>
        query
          .selectFrom('relata.meeting_links')
          .select(['workspace_id', 'meeting_id', 'linked_by', 'starts_at', 'is_all_day'])
          .where(equal({ workspace_id: context.model.workspace.id, object_id: object.id, record_id: recordId }))
          .where(({ eb, refTuple, tuple }) =>
            eb(refTuple('starts_at', 'meeting_id'), '<', tuple(timestampFromMicros(at), id)),
          )
          .$if(hidden.length > 0, (visible) =>
            visible.where(({ not }) =>
              not(isMeetingHidden(context.model.workspace.id, 'relata.meeting_links.meeting_id', hidden)),
            ),
          )
          .orderBy('starts_at', 'desc')
          .orderBy('meeting_id', 'desc')
          .limit(limit),
      )
      .selectFrom('page')
      .innerJoin('relata.meetings as m', onEqual({ 'm.workspace_id': 'page.workspace_id', 'm.id': 'page.meeting_id' }))
      .select(['page.meeting_id', 'page.linked_by', 'page.starts_at', 'page.is_all_day', 'm.title'])
      .select(sql<string>`${sql.raw(CALENDARS_SQL)}`.as('calendars'))
      .orderBy('page.starts_at', 'desc')
      .orderBy('page.meeting_id', 'desc')
      .execute()
    return rows.map((row) => {
      const head = { type: 'meeting.linked', at: microsFromPostgres(row.starts_at), actor: row.linked_by } as const
      const { meeting_id, starts_at, is_all_day } = row
      const isWhole = visibilityOf(parseCalendars(row.calendars), viewer) === 'everything'
      const title = isWhole ? row.title : BUSY
      const meeting = JSON.stringify({ meeting_id, title, starts_at: timestampFromPostgres(starts_at), is_all_day })
      return { at: head.at, id: meeting_id, text: itemText(context.model, head, { meeting }) }
    })
  },
}

/** Emails of the addresses of a person or a company, and emails that were sent from the record. The actor is the member whose mailbox has the email. */
export const emailsSource: ActivitySource = {
  type: 'email.sent',
  rank: 11,
  scopes: ['email:read'],
  async read({ context, object, recordId, at, id, limit }) {
    const { model, db } = context
    const { addresses = [], domains = [] } =
      (await findAddressesOf(db.sql, model, object, [recordId])).get(recordId) ?? {}
    const filter = { addresses, domains, recordIds: [recordId] }
    const place = { sentAt: timestampFromMicros(at), id }
    const looksForTexts = model.workspace.stores_email_texts
    const list = { filter, place, limit, viewer: viewerOf(context), isDistinct: true, looksForTexts }
    const found = await listEmailRows(db, model.workspace.id, list)
    return found.map((email) => emailItem(model, email))
  },
}

function emailItem(
  model: DataModel,
  { id, memberId, sentAt, direction, subjectLine, participants, hasText }: StoredEmail,
): Item {
  const at = microsFromPostgres(sentAt)
  const actor = model.membersById.get(memberId)?.actor
  const from = participants.find(([role]) => role === 'from')?.[1] ?? null
  const email = JSON.stringify({ email_id: id, direction, subject_line: subjectLine, from, has_text: hasText })
  return { at, id, text: itemText(model, { type: 'email.sent', at, actor }, { email }) }
}

/** Files of the record, with connected ones, and without folders and images of notes. */
export const filesSource: ActivitySource = {
  type: 'file.added',
  rank: 11,
  scopes: ['file:read'],
  async read({ context, object, recordId, at, id, limit }) {
    const rows = await controlQueriesIn(context.db.sql)
      .selectFrom('relata.files')
      .select(['id', 'file_type', 'name', 'created_at', 'created_by'])
      .where(equal({ workspace_id: context.model.workspace.id, record_id: recordId, object_id: object.id }))
      .where('file_type', 'in', ['file', 'connected-file'])
      .where('note_id', 'is', null)
      .where(({ eb, refTuple, tuple }) => eb(refTuple('created_at', 'id'), '<', tuple(timestampFromMicros(at), id)))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
    return rows.map(({ id, file_type, name, created_at, created_by }) => {
      const head = { type: 'file.added', at: microsFromPostgres(created_at), actor: created_by } as const
      const file = JSON.stringify({ file_id: id, file_type, name })
      return { at: head.at, id, text: itemText(context.model, head, { file }) }
    })
  },
}
