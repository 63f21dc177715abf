/** The rows of meetings. */

import { type RawBuilder, type Selectable, sql } from 'kysely'
import { renderArray, type Sql, type Transaction } from '#db/connect'
import type { MeetingsTable } from '#db/schema'
import { controlQueriesIn, hasRow, equal } from '#engine/data-model/kysely-in-transaction'
import { columnTexts, compileStatement, selectRows, typedParam } from '#engine/storage/statement'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import { durationClassOf } from './times'
import { CALENDARS_SQL, parseCalendars } from './visibility'
import type { Meeting, MeetingLink, Millis, Participant, ParticipantStatus } from './meeting'

/** Timestamps for PostgreSQL. */
export const timestampOf = (at: Millis): string => new Date(at).toISOString()
export const millisOf = (timestamp: string): Millis => Math.floor(microsFromPostgres(timestamp) / 1000)

/** The columns of `MEETING_SQL` as PostgreSQL returns them. */
export interface MeetingRow extends Pick<
  Selectable<MeetingsTable>,
  | 'id'
  | 'title'
  | 'description'
  | 'is_all_day'
  | 'starts_at'
  | 'ends_at'
  | 'start_timezone'
  | 'end_timezone'
  | 'created_at'
  | 'created_by'
  | 'version'
> {
  /** JSON, like the next ones. */
  readonly participants: string
  readonly links: string
  readonly calendars: string
}

/** SQL of the columns of the meeting `m`, with its participants, links and connected calendars. */
export const MEETING_SQL = `m.id, m.title, m.description, m.is_all_day, m.starts_at, m.ends_at, m.start_timezone, m.end_timezone,
  m.created_at, m.created_by, m.version,
  coalesce((
    select json_agg(json_build_array(p.email_address, p.name, p.is_organizer, p.status) order by p.position)
    from relata.meeting_participants p where p.workspace_id = m.workspace_id and p.meeting_id = m.id), '[]') as participants,
  coalesce((
    select json_agg(json_build_array(l.object_id, l.record_id, l.is_given) order by l.position, l.linked_at, l.record_id)
    from relata.meeting_links l where l.workspace_id = m.workspace_id and l.meeting_id = m.id), '[]') as links, ${CALENDARS_SQL} as calendars`

const READ = compileStatement(
  (param) => `
    select ${MEETING_SQL} from relata.meetings m
    where m.workspace_id = ${typedParam(param, 'workspace', 'uuid')} and m.id = any(${typedParam(param, 'ids', 'uuid[]')})`,
)

/** The meetings with these ids, in no particular order. */
export async function readMeetings(
  db: Sql | Transaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<Meeting[]> {
  const rows = await selectRows<MeetingRow>(db, READ, columnTexts({ workspace: workspaceId, ids }))
  return rows.map(parseMeeting)
}

export const parseMeeting = (row: MeetingRow): Meeting => ({
  id: row.id,
  title: row.title,
  description: row.description,
  isAllDay: row.is_all_day,
  startsAt: millisOf(row.starts_at),
  endsAt: millisOf(row.ends_at),
  startTimezone: row.start_timezone,
  endTimezone: row.end_timezone,
  participants: (JSON.parse(row.participants) as ParticipantCells[]).map(participantOf), // as MEETING_SQL makes it
  links: (JSON.parse(row.links) as LinkCells[]).map(linkOf), // as MEETING_SQL makes it
  createdAt: row.created_at,
  createdBy: row.created_by,
  version: row.version,
  calendars: parseCalendars(row.calendars),
})

type ParticipantCells = readonly [string | null, string | null, boolean, ParticipantStatus]
const participantOf = ([emailAddress, name, isOrganizer, status]: ParticipantCells): Participant => ({
  emailAddress,
  name,
  isOrganizer,
  status,
})

type LinkCells = readonly [string, string, boolean]
const linkOf = ([objectId, recordId, isGiven]: LinkCells): MeetingLink => ({ objectId, recordId, isGiven })

/** With `lock`, no other transaction changes the meeting until this one ends. */
export async function findMeeting(
  db: Sql | Transaction,
  workspaceId: string,
  id: string,
  lock: 'lock' | 'no lock' = 'no lock',
): Promise<Meeting | undefined> {
  // The lock comes first: a statement that waits for the lock returns the links as they were when it began.
  if (lock === 'lock') await lockMeeting(db, workspaceId, id)
  const [meeting] = await readMeetings(db, workspaceId, [id])
  return meeting
}

const lockMeeting = (db: Sql | Transaction, workspaceId: string, id: string) =>
  controlQueriesIn(db)
    .selectFrom('relata.meetings')
    .select('id')
    .where(equal({ workspace_id: workspaceId, id }))
    .forUpdate()
    .execute()

export async function findIdByExternalKey(
  db: Sql | Transaction,
  workspaceId: string,
  key: string,
): Promise<string | undefined> {
  const row = await controlQueriesIn(db)
    .selectFrom('relata.meetings')
    .select('id')
    .where(equal({ workspace_id: workspaceId, external_key: key }))
    .executeTakeFirst()
  return row?.id
}

/** When and by whom a meeting is written. */
export interface MeetingStamp {
  readonly now: Micros
  readonly actor: number
}

/** One statement. Returns false, and writes nothing, when there is a meeting with the external key. */
export async function insertMeeting(
  tx: Transaction,
  workspaceId: string,
  meeting: Meeting,
  { externalKey, ...stamp }: MeetingStamp & { readonly externalKey: string | null },
): Promise<boolean> {
  const state = stateOf(meeting)
  const { rows } = await sql`
    with m as (
      insert into relata.meetings (workspace_id, id, external_key, created_at, created_by, ${state.columns})
      values (${workspaceId}, ${meeting.id}, ${externalKey}, ${meeting.createdAt}, ${meeting.createdBy}, ${state.values})
      on conflict (workspace_id, external_key) where external_key is not null do nothing
      returning *
    ), participants as (${saveParticipants(meeting)}), links as (${saveLinks(meeting, stamp)})
    select 1 from m`.execute(controlQueriesIn(tx))
  return rows.length > 0
}

/** Links that stay keep the time and the actor of their linking. */
export async function updateMeetingRows(
  tx: Transaction,
  workspaceId: string,
  meeting: Meeting,
  stamp: MeetingStamp,
): Promise<void> {
  const state = stateOf(meeting)
  await sql`
    with m as (
      update relata.meetings set version = ${meeting.version}, (${state.columns}) = row(${state.values})
      where workspace_id = ${workspaceId} and id = ${meeting.id} returning *
    ), ended_participants as (
      delete from relata.meeting_participants p using m where p.workspace_id = m.workspace_id and p.meeting_id = m.id
        and p.position > ${meeting.participants.length}::int
    ), ended_links as (
      delete from relata.meeting_links l using m where l.workspace_id = m.workspace_id and l.meeting_id = m.id
        and l.record_id <> all(${renderArray(meeting.links.map(({ recordId }) => recordId))}::uuid[])
    ), participants as (${saveParticipants(meeting)}), links as (${saveLinks(meeting, stamp)})
    select 1`.execute(controlQueriesIn(tx))
}

/** Whether a calendar import wrote the meeting. */
export function isImportedMeeting(tx: Transaction, workspaceId: string, id: string): Promise<boolean> {
  return hasRow(
    controlQueriesIn(tx)
      .selectFrom('relata.imported_meetings')
      .select('meeting_id')
      .where(equal({ workspace_id: workspaceId, meeting_id: id })),
  )
}

/** Forgets what calendars said about a meeting. No calendar changes it from now on, unless one imports it again from a file. */
export async function deleteImportedEvent(tx: Transaction, workspaceId: string, meetingId: string): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.imported_meetings')
    .where(equal({ workspace_id: workspaceId, meeting_id: meetingId }))
    .execute()
}

export async function deleteMeetingRow(tx: Transaction, workspaceId: string, id: string): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.meetings')
    .where(equal({ workspace_id: workspaceId, id }))
    .execute()
}

const SORT_KEYS = sql.raw('is_all_day, duration_class, starts_at, ends_at')
const SORT_KEYS_OF_MEETING = sql.raw('m.is_all_day, m.duration_class, m.starts_at, m.ends_at')
const SET_SORT_KEYS = sql.raw(
  'is_all_day = excluded.is_all_day, duration_class = excluded.duration_class, starts_at = excluded.starts_at, ends_at = excluded.ends_at',
)

/** Inserts or changes the participants of the meeting `m`. */
function saveParticipants({ participants }: Meeting): RawBuilder<unknown> {
  const rows = participants.map(({ emailAddress, name, isOrganizer, status }, index) => ({
    position: index + 1,
    email_address: emailAddress,
    name,
    is_organizer: isOrganizer,
    status,
  }))
  return sql`
    insert into relata.meeting_participants (workspace_id, meeting_id, position, email_address, name, is_organizer, status, ${SORT_KEYS})
    select m.workspace_id, m.id, p.position, p.email_address, p.name, p.is_organizer, p.status, ${SORT_KEYS_OF_MEETING}
    from m, json_to_recordset(${JSON.stringify(rows)}::text::json)
      as p(position int, email_address text, name text, is_organizer boolean, status text)
    on conflict (workspace_id, meeting_id, position) do update set email_address = excluded.email_address,
      name = excluded.name, is_organizer = excluded.is_organizer, status = excluded.status, ${SET_SORT_KEYS}`
}

/** Inserts or changes the links of the meeting `m`. Links that exist keep the time and the actor of their linking. */
function saveLinks({ links }: Meeting, { now, actor }: MeetingStamp): RawBuilder<unknown> {
  const rows = links.map(({ objectId, recordId, isGiven }, index) => ({
    object_id: objectId,
    record_id: recordId,
    is_given: isGiven,
    position: index + 1,
  }))
  return sql`
    insert into relata.meeting_links (workspace_id, meeting_id, object_id, record_id, position, is_given, linked_at, linked_by, ${SORT_KEYS})
    select m.workspace_id, m.id, l.object_id, l.record_id, l.position, l.is_given, ${timestampFromMicros(now)}::timestamptz,
      ${actor}::int, ${SORT_KEYS_OF_MEETING}
    from m, json_to_recordset(${JSON.stringify(rows)}::text::json)
      as l(object_id uuid, record_id uuid, is_given boolean, position int)
    on conflict (workspace_id, meeting_id, record_id) do update set position = excluded.position,
      is_given = excluded.is_given, ${SET_SORT_KEYS}`
}

/** The columns that an update can change. */
const stateOf = ({ title, description, isAllDay, startsAt, endsAt, startTimezone, endTimezone }: Meeting) => ({
  columns: sql.raw('title, description, is_all_day, starts_at, ends_at, start_timezone, end_timezone, duration_class'),
  values: sql`${title}, ${description}, ${isAllDay}::text::boolean, ${timestampOf(startsAt)}::timestamptz,
    ${timestampOf(endsAt)}::timestamptz, ${startTimezone}::text, ${endTimezone}::text, ${durationClassOf(startsAt, endsAt)}::smallint`,
})
