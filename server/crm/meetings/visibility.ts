/**
 * What readers see of meetings that connected calendars have. A meeting that several calendars have is seen as the most open of them shares
 * it. Members see the meetings of their own calendars as a whole. See docs/connected-accounts.md (What colleagues see).
 */

import { type RawBuilder, sql } from 'kysely'
import { renderArray, type Sql, type Transaction } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import type { Meeting, MeetingCalendar, MeetingSharing } from './meeting'

/** The title of a meeting whose title the reader does not see. */
export const BUSY = 'Busy'

/** What the reader sees; `viewer` is the member who reads. Without a connected calendar, the meeting has no restriction. */
export function visibilityOf(calendars: readonly MeetingCalendar[], viewer: string | undefined): MeetingSharing {
  const isSeen = (sharing: MeetingSharing) => calendars.some((each) => each[1] === sharing)
  if (calendars.length === 0 || calendars.some(([memberId]) => memberId === viewer)) return 'everything'
  return isSeen('everything') ? 'everything' : isSeen('exchange') ? 'exchange' : 'nothing'
}

/** The meeting as the reader sees it; undefined for a meeting that the reader does not see. */
export function visibleMeeting(meeting: Meeting, viewer: string | undefined): Meeting | undefined {
  const visibility = visibilityOf(meeting.calendars, viewer)
  if (visibility === 'nothing') return undefined
  return visibility === 'everything' ? meeting : { ...meeting, title: BUSY, description: '' }
}

/** SQL of the calendars of the meeting `m` as JSON. */
export const CALENDARS_SQL = `coalesce((
    select json_agg(json_build_array(a.member_id, a.sharing)) from relata.synced_meetings s
    join relata.connected_accounts a on a.workspace_id = s.workspace_id and a.id = s.account_id
    where s.workspace_id = m.workspace_id and s.meeting_id = m.id), '[]')`

/** As `CALENDARS_SQL` makes it. */
export const parseCalendars = (json: string): MeetingCalendar[] => JSON.parse(json)

/** The accounts whose members share nothing and that have meetings. `viewer` sees those of the own ones. */
export async function findHiddenCalendars(
  on: Sql | Transaction,
  workspaceId: string,
  viewer: string | undefined,
): Promise<string[]> {
  const rows = await controlQueriesIn(on)
    .selectFrom('relata.connected_accounts as a')
    .select('a.id')
    .where(equal({ 'a.workspace_id': workspaceId, 'a.sharing': 'nothing' }))
    .$if(viewer !== undefined, (query) => query.where('a.member_id', '!=', viewer ?? ''))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('relata.synced_meetings as s')
          .select('s.meeting_id')
          .whereRef('s.workspace_id', '=', 'a.workspace_id')
          .whereRef('s.account_id', '=', 'a.id'),
      ),
    )
    .execute()
  return rows.map(({ id }) => id)
}

/** SQL of whether only hidden calendars have a meeting. Its parts are SQL: of the workspace, the meeting's id and the hidden accounts. */
export const isHiddenSql = (workspace: string, meetingId: string, hidden: string): string =>
  `(select coalesce(bool_and(s.account_id = any(${hidden})), false) from relata.synced_meetings s
    where s.workspace_id = ${workspace} and s.meeting_id = ${meetingId})`

/** The same as an expression. */
export const isHidden = (workspaceId: string, meetingId: string, hidden: readonly string[]): RawBuilder<boolean> =>
  sql<boolean>`(select coalesce(bool_and(s.account_id = any(${renderArray(hidden)}::uuid[])), false) from relata.synced_meetings s
    where s.workspace_id = ${workspaceId}::uuid and s.meeting_id = ${sql.ref(meetingId)})`

/** What a reader sees of one meeting. `nothing` also for a meeting that does not exist. */
export async function readVisibility(
  on: Sql | Transaction,
  workspaceId: string,
  meetingId: string,
  viewer: string | undefined,
): Promise<MeetingSharing> {
  const row = await controlQueriesIn(on)
    .selectFrom('relata.meetings as m')
    .select(sql<string>`${sql.raw(CALENDARS_SQL)}`.as('calendars'))
    .where(equal({ 'm.workspace_id': workspaceId, 'm.id': meetingId }))
    .executeTakeFirst()
  return row === undefined ? 'nothing' : visibilityOf(parseCalendars(row.calendars), viewer)
}
