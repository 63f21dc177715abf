/** Reads and lists meetings. See docs/reference/meetings.md. */

import { runOnLookupPool } from '#db/connect'
import type { ApiContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { invalidQuery, readId } from '#base/errors/http'
import { meetingNotFound } from '#base/errors/meetings'
import { type AnsweredMeeting, answerMeeting, renderMeeting } from './render'
import { viewerOf } from '#crm/mailboxes/list-emails'
import { findMeeting, readMeetings } from '#crm/meetings/store'
import { findHiddenCalendars, visibleMeeting } from '#crm/meetings/visibility'
import { readAddress } from '#engine/attribute-types/email-address'
import { parseInstant } from '#engine/attribute-types/formats/instants'
import { findLinkFilter } from '#engine/attribute-types/formats/references'
import { InvalidValue } from '#base/errors/api-error'
import { cursorsFor } from '#engine/query/run/cursor'
import { microsFromPostgres } from '#base/timing/clock'
import { type Bounds, listMeetingKeys, listWholeMeetings, type MeetingKey, type MeetingList } from './list-statement'
import type { Meeting, Millis } from '#crm/meetings/meeting'
import type { MeetingOutput, MeetingsAnswer, MeetingsQuery } from './schemas'
import { beginningOfDate, firstDateFrom, timezoneOf } from '#crm/meetings/times'

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
    const filters = { link: findLinkFilter(model, query), addresses: addressesOf(query) }
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
function addressesOf({ participants = '' }: MeetingsQuery): string[] | undefined {
  if (participants.trim() === '') return undefined
  const addresses = participants.split(',').flatMap((text) => readAddress(text)?.email_address ?? [])
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
