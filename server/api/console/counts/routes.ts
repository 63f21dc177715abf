/**
 * Numbers of what is attached to a record, for the tabs of its page, and of comments, for boards and tables.
 * See docs/decisions/console.md (The page of a record); docs/reference/comments.md (Numbers of comments).
 */
import { Elysia } from 'elysia'
import type { AliasedExpression, Kysely } from 'kysely'
import { CommentCountsAnswer, CommentCountsQuery, MAX_COUNT, RecordCountsAnswer, RecordCountsQuery } from './schemas'
import { type ConsoleContext, getMemberModel } from '#api/console/console-context'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { listNotFound } from '#base/errors/attributes'
import { invalidQuery } from '#base/errors/http'
import type { AppContext } from '#context'
import { countUnresolved } from '#crm/comments/store'
import { listsVisibleTo } from '#crm/inbox/notify'
import { findHiddenCalendars, isHidden } from '#crm/meetings/visibility'
import type { DB } from '#db/schema'
import { findList, getObject } from '#engine/data-model/find'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { isUuid } from '#vocabulary/uuids'

export const recordCountRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-record-counts' }).get(
    ...guard.member(
      '/console/api/workspaces/:workspace_id/record-counts',
      { response: RecordCountsAnswer, query: RecordCountsQuery },
      async ({ member, query }) => ({ data: await countAttached(appContext, member, query) }),
    ),
  )

/** Throws 404 for an object that the member may not see. A record that does not exist has nothing. */
async function countAttached(
  appContext: AppContext,
  member: ConsoleMember,
  { object: slugOrId, record_id }: RecordCountsQuery,
): Promise<RecordCountsAnswer['data']> {
  const object_id = getObject(await getMemberModel(appContext, member), slugOrId).id
  const { sql } = appContext.db
  const record = { workspaceId: member.workspaceId, object_id, record_id: record_id.toLowerCase() }
  const hidden = await findHiddenCalendars(sql, member.workspaceId, member.memberId)
  const control = controlQueriesIn(sql)
  const [notes, meetings, files] = await Promise.all([
    countRows(control, notesOf(control, record).limit(MAX_COUNT).as('found')),
    countRows(control, meetingsOf(control, record, hidden).limit(MAX_COUNT).as('found')),
    countRows(control, filesOf(control, record).limit(MAX_COUNT).as('found')),
  ])
  return { notes, meetings, files }
}

interface RecordKey {
  readonly workspaceId: string
  readonly object_id: string
  readonly record_id: string
}

type Control = Kysely<DB>
async function countRows(control: Control, rows: AliasedExpression<{ id: string }, 'found'>): Promise<number> {
  const { count } = await control
    .selectFrom(rows)
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

const notesOf = (control: Control, { workspaceId, object_id, record_id }: RecordKey) =>
  control
    .selectFrom('relata.notes')
    .select('id')
    .where(equal({ workspace_id: workspaceId, parent_object_id: object_id, parent_record_id: record_id }))

const meetingsOf = (control: Control, { workspaceId, object_id, record_id }: RecordKey, hidden: readonly string[]) =>
  control
    .selectFrom('relata.meeting_links')
    .select('meeting_id as id')
    .where(equal({ workspace_id: workspaceId, object_id, record_id }))
    .$if(hidden.length > 0, (visible) =>
      visible.where(({ not }) => not(isHidden(workspaceId, 'relata.meeting_links.meeting_id', hidden))),
    )

/** Without folders and images of notes. */
const filesOf = (control: Control, { workspaceId, object_id, record_id }: RecordKey) =>
  control
    .selectFrom('relata.files')
    .select('id')
    .where(equal({ workspace_id: workspaceId, object_id, record_id }))
    .where('file_type', 'in', ['file', 'connected-file'])
    .where('note_id', 'is', null)

export const commentCountRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-comment-counts' }).get(
    ...guard.member(
      '/console/api/workspaces/:workspace_id/comment-counts',
      { response: CommentCountsAnswer, query: CommentCountsQuery },
      ({ member, query }) => countComments(appContext, member, query),
    ),
  )

/** Throws 404 for a list that the member may not see. */
async function countComments(
  appContext: AppContext,
  member: ConsoleMember,
  { list: slugOrId, entry_ids }: CommentCountsQuery,
): Promise<object> {
  const ids = entry_ids === '' ? [] : entry_ids.split(',')
  if (!ids.every(isUuid)) {
    throw invalidQuery([{ code: 'invalid', path: ['entry_ids'], message: 'Expected ids with commas between them' }])
  }
  const { workspaceId, memberId } = member
  const model = await getMemberModel(appContext, member)
  const viewer = model.membersById.get(memberId)
  const list = findList(model, slugOrId)
  if (!viewer || !list || !listsVisibleTo(model, viewer).includes(list.id)) throw listNotFound(slugOrId)
  return { data: await countUnresolved(appContext.db.sql, { workspaceId, listId: list.id }, ids) }
}
