/** Reads and lists meetings. See docs/reference/meetings.md. */

import { runOnLookupPool, runRead, type Database, type Sql } from '#db/connect'
import type { ApiContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { invalidQuery, readId } from '#base/errors/http'
import { meetingNotFound } from '#base/errors/meetings'
import { type AnsweredMeeting, answerMeeting, renderMeeting } from './render'
import { viewerOf } from '#crm/mailboxes/list-emails'
import {
  findMeeting,
  MEETING_SQL,
  type MeetingRow,
  millisOf,
  parseMeeting,
  readMeetings,
  timestampOf,
} from '#crm/meetings/store'
import { readParticipantAddress } from '#crm/meetings/parse-input'
import { findHiddenCalendars, isHiddenSql, visibleMeeting } from '#crm/meetings/visibility'
import type { DataModel } from '#engine/data-model/model'
import { parseInstant } from '#engine/attribute-types/formats/instants'
import { findLinkFilter } from '#engine/attribute-types/formats/references'
import { InvalidValue } from '#base/errors/api-error'
import { cursorsFor } from '#engine/query/run/cursor'
import { microsFromPostgres } from '#base/timing/clock'
import type { Meeting, MeetingLink, Millis } from '#crm/meetings/meeting'
import type { MeetingOutput, MeetingsAnswer, MeetingsQuery } from './schemas'
import { beginningOfDate, DURATION_CLASSES, firstDateFrom, longestDuration, timezoneOf } from '#crm/meetings/times'
import {
  columnTexts,
  type Placeholder,
  selectRows,
  type Statement,
  statementsByShape,
  typedParam,
} from '#engine/storage/statement'

/** Throws 404. */
export const getMeeting = (context: ApiContext, meetingId: string): Promise<AnsweredMeeting> =>
  retryOnConflict(context, async (context) => {
    const { model, db } = context
    const id = readId('Meeting', meetingId)
    const meeting = await runOnLookupPool(db, (sql) => findMeeting(sql, model.workspace.id, id))
    const answer = meeting && answerMeeting(context, meeting)
    if (answer === undefined) throw meetingNotFound(meetingId)
    return answer
  })

// Lists meetings. See docs/reference/meetings.md (Lists of meetings).

/** The place of a meeting in a list: its start in the time zone of the list, then its id. */
interface Place {
  readonly at: Millis
  readonly id: string
}

/** Throws 400 for half a link, for an unknown object, for bounds that are no timestamps, and for a cursor of another list. */
export const listMeetings = (context: ApiContext, query: MeetingsQuery): Promise<MeetingsAnswer> =>
  retryOnConflict(context, async (context) => {
    const { model, db } = context
    const { limit = 50, sort = 'start_asc', timezone: name = 'UTC', cursor } = query
    const timezone = timezoneOf(name)
    const direction = sort === 'start_desc' ? 'desc' : 'asc'
    const filters = { link: findLinkFilter(model, query), addresses: addressesOf(model, query) }
    const times = { endsFrom: boundOf(query, 'ends_from'), startsBefore: boundOf(query, 'starts_before') }
    const cursors = () => cursorsFor(context, { id: 'meetings' }, query)
    const after = cursor === undefined ? undefined : readPlace((await cursors()).decode(cursor))
    const bounds = boundsOf({ ...times, after }, timezone)
    const viewer = viewerOf(context)
    const hidden = await runOnLookupPool(db, (on) => findHiddenCalendars(on, model.workspace.id, viewer))
    const list = { ...filters, direction, bounds, limit: limit + 1, hidden } satisfies MeetingList
    const isFiltered = list.link !== undefined || list.addresses !== undefined
    const whole = isFiltered ? await listWholeMeetings(db, model.workspace.id, list) : undefined
    const places = placesOf(whole ?? (await listMeetingKeys(db, model.workspace.id, list)), timezone, direction)
    const page = places.slice(0, limit)
    const last = places.length > limit ? page.at(-1) : undefined
    const data = renderPage(context, page, whole ?? (await readPage(context, page)))
    const next_cursor = last ? (await cursors()).encode([String(last.at), last.id]) : null
    return { data, pagination: { next_cursor } }
  })

async function readPage({ model, db }: ApiContext, page: readonly Place[]): Promise<readonly Meeting[]> {
  if (page.length === 0) return []
  const ids = page.map(({ id }) => id)
  return runOnLookupPool(db, (sql) => readMeetings(sql, model.workspace.id, ids))
}

/** A meeting that was deleted or hidden since its key was read is left out. */
function renderPage(context: ApiContext, page: readonly Place[], meetings: readonly Meeting[]): MeetingOutput[] {
  const byId = new Map(meetings.map((meeting) => [meeting.id, meeting]))
  return page.flatMap(({ id }) => {
    const meeting = byId.get(id)
    const visible = meeting && visibleMeeting(meeting, viewerOf(context))
    return visible === undefined ? [] : [renderMeeting(context.model, visible)]
  })
}

function placesOf(keys: readonly MeetingKey[], timezone: string, direction: MeetingList['direction']): Place[] {
  const places = keys.map(({ isAllDay, startsAt, id }) => ({
    at: isAllDay ? beginningOfDate(startsAt, timezone) : startsAt,
    id,
  }))
  const sign = direction === 'asc' ? 1 : -1
  return places.toSorted((a, b) => sign * (a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)))
}

/** The bounds of the stored times: of all-day meetings as dates, of the others as instants. */
function boundsOf(
  { endsFrom, startsBefore, after }: Pick<Bounds, 'endsFrom' | 'startsBefore'> & { readonly after: Place | undefined },
  timezone: string,
): MeetingList['bounds'] {
  const dateFrom = (at: Millis | undefined) => (at === undefined ? undefined : firstDateFrom(at, timezone))
  return {
    timed: { endsFrom, startsBefore, after: after && { startsAt: after.at, id: after.id } },
    allDay: {
      endsFrom: dateFrom(endsFrom),
      startsBefore: dateFrom(startsBefore),
      after: after && dateAfter(after, timezone),
    },
  }
}

const SMALLEST_ID = '00000000-0000-0000-0000-000000000000'

/** Between two dates, every all-day meeting of the later one comes after the place. */
function dateAfter({ at, id }: Place, timezone: string): Bounds['after'] {
  const date = firstDateFrom(at, timezone)
  return { startsAt: date, id: beginningOfDate(date, timezone) === at ? id : SMALLEST_ID }
}

const readPlace = ([at, id]: readonly (string | null)[]): Place => ({ at: Number(at), id: String(id) })

/** An empty text is no filter. A text that is no address matches no participant. */
function addressesOf(model: DataModel, { participants = '' }: MeetingsQuery): string[] | undefined {
  if (participants.trim() === '') return undefined
  const addresses = participants.split(',').flatMap((text) => readParticipantAddress(model, text) ?? [])
  return [...new Set(addresses)]
}

function boundOf(query: MeetingsQuery, parameter: 'ends_from' | 'starts_before'): Millis | undefined {
  const text = query[parameter]
  if (text === undefined || text === 'null') return undefined
  try {
    // Meetings have whole milliseconds, so the next one bounds them as a part of one does.
    return Math.ceil(microsFromPostgres(parseInstant(text, [parameter]).value) / 1000)
  } catch (error) {
    if (error instanceof InvalidValue) throw invalidQuery(error.issues)
    throw error
  }
}

// The statement of lists of meetings. A list reads one range of an index for each duration class, once for all-day
// meetings and once for the others, and merges them. See docs/reference/meetings.md (Lists of meetings); docs/decisions/meetings-and-emails.md.
//
// | filter           | index of `db/migrations/0170_base/18_meetings.sql`                         |
// | ---------------- | -------------------------------------------------------------------------- |
// | a record         | `meeting_links_start`                                                      |
// | participants     | `meeting_participants_start`, the ranges of each address                   |
// | both             | the ranges of both                                                         |
// | neither          | `meetings_start`                                                           |

/** The sort key of a meeting, as it is stored. */
interface MeetingKey {
  readonly isAllDay: boolean
  readonly startsAt: Millis
  readonly id: string
}

/** Bounds of the stored times, and the place after which a page begins. */
interface Bounds {
  readonly endsFrom: Millis | undefined
  readonly startsBefore: Millis | undefined
  readonly after: { readonly startsAt: Millis; readonly id: string } | undefined
}

interface MeetingList {
  readonly direction: 'asc' | 'desc'
  readonly link: Pick<MeetingLink, 'objectId' | 'recordId'> | undefined
  /** Undefined for a list without this filter. */
  readonly addresses: readonly string[] | undefined
  /** The bounds of all-day meetings and of the others. */
  readonly bounds: { readonly allDay: Bounds; readonly timed: Bounds }
  readonly limit: number
  /** The connected calendars whose meetings are left out. */
  readonly hidden: readonly string[]
}

/** Lists of more participants take longer, so they have the time limit of queries. */
const FEW_ADDRESSES = 20

/** The keys of the first all-day meetings and of the first others, each at most `limit`. */
async function listMeetingKeys(db: Database, workspaceId: string, list: MeetingList): Promise<MeetingKey[]> {
  const rows = await runList<KeyRow>(db, workspaceId, list, keysStatementOf(list))
  return rows.map((row) => ({ isAllDay: row.is_all_day, startsAt: millisOf(row.starts_at), id: row.id }))
}

type KeyRow = Pick<MeetingRow, 'is_all_day' | 'starts_at' | 'id'>

/** The same meetings with all members, which a page may leave out: for records and participants, which have few meetings. */
async function listWholeMeetings(db: Database, workspaceId: string, list: MeetingList): Promise<Meeting[]> {
  const rows = await runList<MeetingRow>(db, workspaceId, list, meetingsStatementOf(list))
  return rows.map(parseMeeting)
}

async function runList<T extends object>(db: Database, workspace: string, list: MeetingList, statement: Statement) {
  const { link, addresses = [], limit, hidden } = list
  const texts = columnTexts({ workspace, ...classColumns(list), ...link, addresses, limit, hidden })
  const send = (on: Sql) => selectRows<T>(on, statement, texts)
  const isLong = addresses.length > FEW_ADDRESSES
  return runRead(db, (pools) => (isLong ? send(pools.queries) : runOnLookupPool(pools, send)))
}

const shapeOf = ({ direction, link, addresses, hidden }: MeetingList): string =>
  [direction, link !== undefined, addresses !== undefined, hidden.length > 0].join()

const keysStatementOf = statementsByShape(
  shapeOf,
  (param, list: MeetingList) => `${rankedOf(param, list)}
    select is_all_day, starts_at, id from ranked where rank <= ${typedParam(param, 'limit', 'bigint')}`,
)

const meetingsStatementOf = statementsByShape(
  shapeOf,
  (param, list: MeetingList) => `${rankedOf(param, list)}
    select ${MEETING_SQL} from ranked
      join relata.meetings m on m.workspace_id = ${typedParam(param, 'workspace', 'uuid')} and m.id = ranked.id
    where rank <= ${typedParam(param, 'limit', 'bigint')}`,
)

/** The keys of each class, ranked in the order of the list. */
function rankedOf(param: Placeholder, list: MeetingList): string {
  const order = `starts_at ${list.direction}, id ${list.direction}`
  const columns = CLASS_COLUMNS.map(([name]) => name)
  const classes = CLASS_COLUMNS.map(([name, type]) => typedParam(param, name, `${type}[]`))
  return `
    with classes as materialized (select * from unnest(${classes.join(', ')}) as c(${columns.join(', ')})),
    found as (select distinct is_all_day, starts_at, id from (${rangesOf(param, list).join(' union all ')}) ranges),
    ranked as (select *, row_number() over (partition by is_all_day order by ${order}) as rank from found)`
}

/** The columns of the ranges with their types. Arrays cost PostgreSQL a fifth of the time of JSON. */
const CLASS_COLUMNS = [
  ['is_all_day', 'boolean'],
  ['duration_class', 'smallint'],
  ['low_at', 'timestamptz'],
  ['low_id', 'uuid'],
  ['high_at', 'timestamptz'],
  ['high_id', 'uuid'],
  ['ends_from', 'timestamptz'],
] as const

type ClassRange = Readonly<Record<(typeof CLASS_COLUMNS)[number][0], string | number | boolean>>

/** An array for each column. */
function classColumns(list: MeetingList): Readonly<Record<string, readonly unknown[]>> {
  const ranges = classesOf(list)
  return Object.fromEntries(CLASS_COLUMNS.map(([name]) => [name, ranges.map((range) => range[name])]))
}

/** The ranges of all classes as rows. A range is between two keys, so that the index finds its beginning and its end. */
function classesOf({ bounds, direction }: MeetingList): ClassRange[] {
  return [bounds.allDay, bounds.timed].flatMap((each) =>
    DURATION_CLASSES.map((duration_class) => {
      const { endsFrom, startsBefore, after } = each
      const lowest = endsFrom === undefined ? undefined : endsFrom - longestDuration(duration_class)
      const low = direction === 'asc' ? laterOf(after, lowest) : keyOf(lowest, '-infinity')
      const high = direction === 'desc' ? earlierOf(after, startsBefore) : keyOf(startsBefore, 'infinity')
      return {
        is_all_day: each === bounds.allDay,
        duration_class,
        low_at: low.at,
        low_id: low.id,
        high_at: high.at,
        high_id: high.id,
        ends_from: endsFrom === undefined ? '-infinity' : renderBound(endsFrom),
      }
    }),
  )
}

interface BoundKey {
  readonly at: string
  readonly id: string
}

/** All meetings are between the beginnings of these years. PostgreSQL reads no ISO texts of other years. */
const YEAR_1 = Date.parse('0001-01-01T00:00:00Z')
const YEAR_10000 = Date.parse('9999-12-31T23:59:59.999Z') + 1

function renderBound(at: Millis): string {
  if (at < YEAR_1) return '-infinity'
  return at < YEAR_10000 ? timestampOf(at) : 'infinity'
}

const keyOf = (at: Millis | undefined, infinity: '-infinity' | 'infinity'): BoundKey => ({
  at: at === undefined ? infinity : renderBound(at),
  id: SMALLEST_ID,
})

const laterOf = (after: Bounds['after'], bound: Millis | undefined): BoundKey =>
  after === undefined || (bound !== undefined && bound > after.startsAt)
    ? keyOf(bound, '-infinity')
    : { at: renderBound(after.startsAt), id: after.id }

const earlierOf = (after: Bounds['after'], bound: Millis | undefined): BoundKey =>
  after === undefined || (bound !== undefined && bound <= after.startsAt)
    ? keyOf(bound, 'infinity')
    : { at: renderBound(after.startsAt), id: after.id }

/** The ranges of each class, for each table that has the meetings of the list together. */
function rangesOf(param: Placeholder, { direction, link, addresses, hidden }: MeetingList): string[] {
  const of = (name: string, type: string) => typedParam(param, name, type)
  const isVisible = (table: string, id: string) =>
    hidden.length === 0
      ? ''
      : `and not ${isHiddenSql(of('workspace', 'uuid'), `${table}.${id}`, of('hidden', 'uuid[]'))}`
  const rangeOf = ({ controlTable, id, from, conditions }: Source) => `
    select r.* from ${from} cross join lateral (
      select is_all_day, starts_at, ${id} as id from ${controlTable}
      where ${[`workspace_id = ${of('workspace', 'uuid')}`, ...conditions].join(' and ')}
        and is_all_day = c.is_all_day and duration_class = c.duration_class
        and (starts_at, ${id}) > (c.low_at, c.low_id) and (starts_at, ${id}) < (c.high_at, c.high_id)
        and ends_at >= c.ends_from ${isVisible(controlTable, id)}
      order by starts_at ${direction}, ${id} ${direction} limit ${of('limit', 'bigint')}
    ) r`
  const ofLink = (): Source => ({
    controlTable: 'relata.meeting_links',
    id: 'meeting_id',
    from: 'classes c',
    conditions: [`record_id = ${of('recordId', 'uuid')}`, `object_id = ${of('objectId', 'uuid')}`],
  })
  const ofAddresses = (): Source => ({
    controlTable: 'relata.meeting_participants',
    id: 'meeting_id',
    from: `classes c cross join unnest(${of('addresses', 'text[]')}) as a(address)`,
    conditions: ['email_address = a.address'],
  })
  const sources = [...(link === undefined ? [] : [ofLink()]), ...(addresses === undefined ? [] : [ofAddresses()])]
  if (sources.length > 0) return sources.map(rangeOf)
  return [rangeOf({ controlTable: 'relata.meetings', id: 'id', from: 'classes c', conditions: [] })]
}

interface Source {
  readonly controlTable: string
  /** The column with the id of the meeting. */
  readonly id: string
  readonly from: string
  readonly conditions: readonly string[]
}
