/**
 * Reads the feed: all change events in the order in which they were published, after any cursor. A reader who has all events
 * up to a cursor misses none, although writes overlap. See docs/decisions/events.md.
 */

import { maySeeText, visibleEventsOf } from '#access/list-access/list-access'
import { parseInstant } from '#engine/attribute-types/formats/instants'
import type { ApiContext } from '#context'
import { InvalidValue } from '#base/errors/api-error'
import { invalidQuery } from '#base/errors/http'
import { expiredCursor } from '#base/errors/webhooks'
import { EVENT_TYPES, type EventType, isEventType } from '#vocabulary/event-types'
import { subjectOfText } from '#events/feed/visibility'
import { JsonText } from '#api/http/response/answer'
import { type Micros, microsFromPostgres } from '#base/timing/clock'
import {
  cursorOf,
  type EventRow,
  FEED_START,
  type FeedPlace,
  findEnd,
  findStart,
  hasNewestModel,
  isExpired,
  parseCursor,
  scanEvents,
} from './store'
import type { EventsQuery, StreamQuery } from './schemas'
import { createSubscribedSignal } from '#base/timing/wait'
import { EventStream, type Renew, type StreamMessage } from '#api/http/response/event-stream'

interface FeedPage {
  readonly events: readonly EventRow[]
  readonly next: FeedPlace
  readonly hasMore: boolean
}

/** The number of events that a page reads at most, if it leaves out events. */
const MAX_SCANNED = 5000

/** Throws 400 for the parameters, and 410 when events after the cursor have expired. */
export async function listEvents(context: ApiContext, query: EventsQuery): Promise<JsonText> {
  const { cursor, since, limit = 100 } = query
  const types = parseTypes(query.event_type)
  if (cursor !== undefined && since !== undefined) {
    throw invalidQuery([{ code: 'invalid', path: ['since'], message: 'Send a cursor or since, not both' }])
  }
  const after = since === undefined ? await placeFor(context, cursor) : await findStart(context, parseSince(since))
  const { events, next, hasMore } = await readFeedPage(context, after, limit, types)
  const pagination = JSON.stringify({ next_cursor: cursorOf(next), has_more: hasMore })
  return new JsonText(`{"data":[${events.map(renderEvent).join(',')}],"pagination":${pagination}}`)
}

/** Returns the place that a cursor names; the beginning of the feed without a cursor. */
async function placeFor(context: ApiContext, cursor: string | undefined): Promise<FeedPlace> {
  if (cursor === undefined) return FEED_START
  if (cursor === 'now') return findEnd(context)
  const place = parseCursor(cursor)
  if (place.at !== FEED_START.at && (await isExpired(context, place))) throw expiredCursor()
  return place
}

/** Reads the next events that the caller may see. */
async function readFeedPage(
  context: ApiContext,
  after: FeedPlace,
  limit: number,
  types: readonly EventType[] | undefined,
): Promise<FeedPage> {
  const wanted = readableTypes(context, types)
  const readAt = context.now()
  const visible: EventRow[] = []
  let last: FeedPlace | undefined
  let isCut = true
  // One more event than the limit shows whether another page follows. Events that the caller does not see do not shorten the page.
  let rows = wanted === undefined ? limit + 1 : MAX_SCANNED
  for (let scanned = 0; isCut && visible.length <= limit && scanned < MAX_SCANNED; scanned += rows, rows *= 2) {
    const found = await scanEvents(context, { after: last ?? after, rows, types: wanted })
    visible.push(...found.events.filter((event) => maySeeEvent(context, event)))
    last = found.last ?? last
    isCut = found.isCut
  }
  const shown = visible.slice(0, limit)
  const end = shown.at(-1)
  if (visible.length > limit && end) return { events: shown, next: end.place, hasMore: true }
  if (isCut && last) return { events: shown, next: last, hasMore: true }
  // The place gets the time of this read, so that the cursor of a reader at the end does not expire.
  return { events: shown, next: { position: (last ?? after).position, at: Math.max(readAt, after.at) }, hasMore: false }
}

/** The form of an event in the feed and in its stream. */
const renderEvent = ({ id, occurredAt, body, place }: EventRow): string =>
  `{"cursor":"${cursorOf(place)}","event_id":"${id}","occurred_at":"${occurredAt}","event":${body}}`

const maySeeEvent = (context: ApiContext, { event_type, body }: EventRow): boolean =>
  maySeeText(context, subjectOfText(event_type, body), body)

/** Leaves out the types of which the caller may see no event. Undefined: all types. */
function readableTypes(context: ApiContext, types: readonly EventType[] | undefined): readonly EventType[] | undefined {
  const { types: otherTypes, listTypes } = visibleEventsOf(context)
  const readable = new Set([...otherTypes, ...listTypes])
  return readable.size === EVENT_TYPES.length ? types : (types ?? EVENT_TYPES).filter((type) => readable.has(type))
}

function parseTypes(text: string | undefined): EventType[] | undefined {
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

/** Streams the events of the feed as they are published. */
const PAGE_SIZE = 200

/** Begins after `Last-Event-ID`, else after the cursor, else now. Throws as `listEvents` does. */
export async function streamEvents(
  context: ApiContext,
  { cursor = 'now', event_type }: StreamQuery,
  lastEventId: string | null,
): Promise<EventStream> {
  const types = parseTypes(event_type)
  const from = await placeFor(context, lastEventId || cursor)
  return new EventStream((signal, renew) => follow(context, from, types, signal, renew))
}

async function* follow(
  context: ApiContext,
  from: FeedPlace,
  types: readonly EventType[] | undefined,
  signal: AbortSignal,
  renew: Renew,
): AsyncGenerator<StreamMessage> {
  const { hub } = context.events ?? {}
  const subscribe = (wake: () => void) => hub?.subscribe(context.model.workspace.id, wake) ?? (() => {})
  const wakeSignal = createSubscribedSignal(subscribe, signal)
  try {
    let place = from
    while (!signal.aborted) {
      const current = await renewWithModel(renew)
      if (current === undefined) return
      const page = await readFeedPage(current, place, PAGE_SIZE, types)
      for (const event of page.events) yield messageOf(event)
      place = page.next
      // Without a hub, this process gets no notifications of new events.
      if (!page.hasMore && hub === undefined) return
      if (!page.hasMore) await wakeSignal.wait()
    }
  } finally {
    wakeSignal.close()
  }
}

/** Scopes and access to lists can have changed since the stream began. */
async function renewWithModel(renew: Renew): Promise<ApiContext | undefined> {
  const context = await renew()
  if (context === undefined || (await hasNewestModel(context))) return context
  return { ...context, model: await context.reloadModel() }
}

const messageOf = (event: EventRow): StreamMessage => ({
  id: cursorOf(event.place),
  event: 'event',
  data: renderEvent(event),
  isVisible: (context) => maySeeEvent(context, event),
})
