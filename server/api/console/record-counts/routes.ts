/** Numbers of what is attached to a record, for the tabs of its page. See docs/decisions/console.md (The page of a record). */

import { Elysia } from 'elysia'
import type { AliasedExpression, Kysely } from 'kysely'
import type { DB } from '#db/schema'
import { type ConsoleContext, getMemberModel } from '#api/console/console-context'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import type { AppContext } from '#context'
import { findHiddenCalendars, isHidden } from '#crm/meetings/visibility'
import { getObject } from '#engine/data-model/find'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { MAX_COUNT, RecordCountsAnswer, RecordCountsQuery } from './schemas'

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
