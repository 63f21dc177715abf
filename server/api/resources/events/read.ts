/**
 * Reads the feed: all change events in the order in which they were published, after any cursor. A reader who has all events
 * up to a cursor misses none, although writes overlap. See docs/decisions/events.md.
 */

import { runRead } from '#db/connect'
import { maySeeText, visibleEventsOf } from '#access/list-access/list-access'
import { parseInstant } from '#engine/attribute-types/formats/instants'
import type { ApiContext } from '#context'
import { InvalidValue } from '#base/errors/api-error'
import { invalidQuery } from '#base/errors/http'
import { expiredCursor } from '#base/errors/webhooks'
import { EVENT_TYPES, type EventType, isEventType } from '#vocabulary/event-types'
import { subjectOfText } from '#events/feed/visibility'
import { JsonText } from '#api/http/response/answer'
import { type Micros, microsFromPostgres, timestampFromMicros, timestampFromPostgres } from '#base/timing/clock'
import type { EventsQuery, StreamQuery } from './schemas'
import { createSubscribedSignal } from '#base/timing/wait'
import { EventStream, type Renew, type StreamMessage } from '#api/http/response/event-stream'
import { sql as expression } from 'kysely'
import { anyOf, controlQueriesIn, hasRow, equal } from '#engine/data-model/kysely-in-transaction'

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

// The rows of the feed.

/** A published event. */
interface EventRow {
  readonly id: string
  readonly event_type: EventType
  readonly occurredAt: string
  /** The event as delivered, as JSON text. */
  readonly body: string
  readonly place: FeedPlace
}

interface Scan {
  readonly after: FeedPlace
  /** The number of events to read. */
  readonly rows: number
  /** Undefined: all types. */
  readonly types: readonly EventType[] | undefined
}

interface Scanned {
  readonly events: EventRow[]
  /** The position of the last event that was read; undefined when there was none. */
  readonly last: FeedPlace | undefined
  /** Whether the scan stopped before the end of the feed. */
  readonly isCut: boolean
}

/** The clocks of publishers differ by less than this, so the scan skips the partitions before it. */
const MAX_CLOCK_SKEW_MICROS = 86_400_000_000

/** Reads the next events in the order of their positions, and returns those of the wanted types. */
async function scanEvents({ db, model }: ApiContext, { after, rows, types }: Scan): Promise<Scanned> {
  const from = timestampFromMicros(Math.max(0, after.at - MAX_CLOCK_SKEW_MICROS))
  const found = await runRead(db, ({ sql }) =>
    controlQueriesIn(sql)
      .with('scanned', (query) =>
        query
          .selectFrom('relata.events')
          .select(['position', 'recorded_at', 'id', 'event_type', 'occurred_at', 'body'])
          .where('workspace_id', '=', model.workspace.id)
          .where('position', '>', String(after.position))
          .where('recorded_at', '>=', from)
          .orderBy('position')
          .limit(rows),
      )
      .with('size', (query) =>
        query
          .selectFrom('scanned')
          .select(({ fn }) => [
            expression<number>`count(*)::int`.as('looked_at'),
            fn.max('position').as('last_position'),
          ]),
      )
      .selectFrom(['scanned as s', 'size'])
      .select(['size.looked_at', 's.position', 's.recorded_at', 's.id', 's.event_type', 's.occurred_at', 's.body'])
      .$if(types !== undefined, (query) =>
        query.where(({ eb, or, ref }) =>
          or([eb('s.position', '=', ref('size.last_position')), eb('s.event_type', '=', anyOf(types ?? [], 'text'))]),
        ),
      )
      .orderBy('s.position')
      .$castTo<ScannedRow>()
      .execute(),
  )
  const last = found.at(-1)
  return {
    events: found.map(fromRow).filter(({ event_type }) => types === undefined || types.includes(event_type)),
    last: last && placeOf(last),
    isCut: last?.looked_at === rows,
  }
}

/** The end of the feed now. */
async function findEnd({ db, model, now }: ApiContext): Promise<FeedPlace> {
  const at = now()
  const row = await db.control
    .selectFrom('relata.events')
    .select(({ fn }) => fn.max('position').as('position'))
    .where('workspace_id', '=', model.workspace.id)
    .executeTakeFirst()
  return { position: String(row?.position ?? 0), at }
}

/**
 * The cursor of the last event of all workspaces that was published or is being published. Events after it are all of those whose changes
 * a read that begins later might not see. Reads no rows.
 */
export async function findNewestCursor({ db, now }: Pick<ApiContext, 'db' | 'now'>): Promise<string> {
  const at = now()
  const row = await db.control
    .selectNoFrom(expression<string | null>`pg_sequence_last_value('relata.event_positions')::text`.as('position'))
    .executeTakeFirst()
  return cursorOf({ position: row?.position ?? '0', at })
}

/** The place before the first event that was published at `at` or later. */
async function findStart(context: ApiContext, at: Micros): Promise<FeedPlace> {
  const { db, model } = context
  const first = await db.control
    .selectFrom('relata.events')
    .select('position')
    .where('workspace_id', '=', model.workspace.id)
    .where('recorded_at', '>=', timestampFromMicros(at))
    .orderBy('position')
    .limit(1)
    .executeTakeFirst()
  return first ? { position: String(BigInt(first.position) - 1n), at } : findEnd(context)
}

/** Whether the request has the newest data model. */
function hasNewestModel({ db, model }: ApiContext): Promise<boolean> {
  return hasRow(
    db.control
      .selectFrom('relata.workspaces')
      .select('id')
      .where(equal({ id: model.workspace.id, data_model_version: model.version })),
  )
}

/** Whether events after this place have expired, or may have. */
function isExpired({ db }: ApiContext, { at }: FeedPlace): Promise<boolean> {
  return hasRow(
    db.control
      .selectFrom('relata.kept_since')
      .select('table_name')
      .where('table_name', '=', 'events')
      .where('since', '>', timestampFromMicros(at)),
  )
}

interface ScannedRow {
  readonly looked_at: number
  readonly position: string
  readonly recorded_at: string
  readonly id: string
  readonly event_type: EventType
  readonly occurred_at: string
  readonly body: string
}

const placeOf = ({ position, recorded_at }: ScannedRow): FeedPlace => ({
  position,
  at: microsFromPostgres(recorded_at),
})

const fromRow = (row: ScannedRow): EventRow => ({
  id: row.id,
  event_type: row.event_type,
  occurredAt: timestampFromPostgres(row.occurred_at),
  body: row.body,
  place: placeOf(row),
})

/** Cursors of the feed. They contain no secrets, and clients must not rely on their form. */
interface FeedPlace {
  /** The reader has read all events up to this position. */
  readonly position: string
  /** All events up to `position` were published by this time, and no later event long before it. */
  readonly at: Micros
}

/** The beginning of the feed. */
const FEED_START: FeedPlace = { position: '0', at: 0 }

const cursorOf = ({ position, at }: FeedPlace): string => `${position}.${at}`

const CURSOR = /^(\d{1,18})\.(\d{1,16})$/

/** The inverse of `cursorOf`. Throws 400 for any other text. */
export function parseCursor(text: string): FeedPlace {
  const [, position, at] = CURSOR.exec(text) ?? []
  if (position === undefined || at === undefined)
    throw invalidQuery([{ code: 'invalid', path: ['cursor'], message: 'Not a cursor of this feed' }])
  return { position, at: Number(at) }
}
