/**
 * The feed: everything that happened, in the order in which it was published, to be read on from any place. Who has read up
 * to a place has missed nothing before it, however writers overlap. Decision 0066.
 */

import { maySee, visibleEventsOf } from '../../access/list-access/visible-events'
import { parseInstant } from '../../attribute-types/formats/instants'
import type { RequestContext } from '../../call'
import { expiredCursor, invalidQuery, InvalidValue } from '../../errors/errors'
import { EVENT_TYPES, type EventType, isEventType } from '../../events/event-types'
import { subjectOfText } from '../../events/visibility'
import { JsonText } from '../../http/response/answer'
import { type Micros, microsFromPostgres } from '../../timing/clock'
import { BEGINNING, cursorOf, parseCursor, type Place } from './cursor'
import type { EventsQuery } from './schemas'
import { type EventRow, findEnd, findStart, isExpired, scanEvents } from './store'

export interface Page {
  readonly events: readonly EventRow[]
  readonly next: Place
  readonly hasMore: boolean
}

/** The most events looked at for a page of some types. */
const MOST_SCANNED = 5000

/** Throws 400 for the parameters, 410 for a cursor after which events have been dropped. */
export async function listEvents(context: RequestContext, query: EventsQuery): Promise<JsonText> {
  const { cursor, since, limit = 100 } = query
  const types = parseTypes(query.event_type)
  if (cursor !== undefined && since !== undefined) {
    throw invalidQuery([{ code: 'invalid', path: ['since'], message: 'Send a cursor or since, not both' }])
  }
  const after = since === undefined ? await placeFor(context, cursor) : await findStart(context, parseSince(since))
  const { events, next, hasMore } = await readPage(context, after, limit, types)
  const pagination = JSON.stringify({ next_cursor: cursorOf(next), has_more: hasMore })
  return new JsonText(`{"data":[${events.map(renderEvent).join(',')}],"pagination":${pagination}}`)
}

/** The place that a client names; the beginning of what is kept when it names none. */
export async function placeFor(context: RequestContext, cursor: string | undefined): Promise<Place> {
  if (cursor === undefined) return BEGINNING
  if (cursor === 'now') return findEnd(context)
  const place = parseCursor(cursor)
  if (place.at !== BEGINNING.at && (await isExpired(context, place))) throw expiredCursor()
  return place
}

/** The next events that the caller may see. */
export async function readPage(
  context: RequestContext,
  after: Place,
  limit: number,
  types: readonly EventType[] | undefined,
): Promise<Page> {
  const wanted = withoutUnreadable(context, types)
  // One more than asked for, to know whether there is another page.
  const rows = wanted === undefined ? limit + 1 : MOST_SCANNED
  const readAt = context.now()
  const { events, last, isCut } = await scanEvents(context, { after, rows, types: wanted })
  const visible = events.filter((event) => maySeeEvent(context, event))
  const shown = visible.slice(0, limit)
  const end = shown.at(-1)
  if (visible.length > limit && end) return { events: shown, next: end.place, hasMore: true }
  if (isCut && last) return { events: shown, next: last, hasMore: true }
  // At the end, which was the end at this time: so a place that is kept does not grow old.
  return { events: shown, next: { position: (last ?? after).position, at: Math.max(readAt, after.at) }, hasMore: false }
}

/** As the feed and the stream show it. */
export const renderEvent = ({ id, occurredAt, body, place }: EventRow): string =>
  `{"cursor":"${cursorOf(place)}","event_id":"${id}","occurred_at":"${occurredAt}","event":${body}}`

export const maySeeEvent = (context: RequestContext, { event_type, body }: EventRow): boolean =>
  maySee(context, subjectOfText(event_type, body))

/** Types of which the caller may see nothing are not worth reading. Undefined: all are wanted. */
function withoutUnreadable(
  context: RequestContext,
  types: readonly EventType[] | undefined,
): readonly EventType[] | undefined {
  const { types: plain, listTypes } = visibleEventsOf(context)
  const readable = new Set([...plain, ...listTypes])
  return readable.size === EVENT_TYPES.length ? types : (types ?? EVENT_TYPES).filter((type) => readable.has(type))
}

export function parseTypes(text: string | undefined): EventType[] | undefined {
  if (text === undefined) return undefined
  return text.split(',').map((name) => {
    if (isEventType(name)) return name
    throw invalidQuery([{ code: 'invalid_option', path: ['event_type'], message: `There are no "${name}" events` }])
  })
}

function parseSince(text: string): Micros {
  try {
    return Math.max(0, microsFromPostgres(parseInstant(text).value))
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error
    throw invalidQuery(error.issues.map((issue) => ({ ...issue, path: ['since'] })))
  }
}
