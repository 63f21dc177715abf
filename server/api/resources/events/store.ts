/** The rows of the feed. */

import { sql as expression } from 'kysely'
import { anyOf, controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { ApiContext } from '#context'
import { type Micros, microsFromPostgres, timestampFromMicros, timestampFromPostgres } from '#base/timing/clock'
import type { EventType } from '#vocabulary/event-types'
import { invalidQuery } from '#base/errors/http'

/** A published event. */
export interface EventRow {
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
export async function scanEvents({ db, model }: ApiContext, { after, rows, types }: Scan): Promise<Scanned> {
  const from = timestampFromMicros(Math.max(0, after.at - MAX_CLOCK_SKEW_MICROS))
  const found = await controlQueriesIn(db.sql)
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
    .execute()
  const last = found.at(-1)
  return {
    events: found.map(fromRow).filter(({ event_type }) => types === undefined || types.includes(event_type)),
    last: last && placeOf(last),
    isCut: last?.looked_at === rows,
  }
}

/** The end of the feed now. */
export async function findEnd({ db, model, now }: ApiContext): Promise<FeedPlace> {
  const at = now()
  const row = await db.control
    .selectFrom('relata.events')
    .select(({ fn }) => fn.max('position').as('position'))
    .where('workspace_id', '=', model.workspace.id)
    .executeTakeFirst()
  return { position: String(row?.position ?? 0), at }
}

/** The place before the first event that was published at `at` or later. */
export async function findStart(context: ApiContext, at: Micros): Promise<FeedPlace> {
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
export async function hasNewestModel({ db, model }: ApiContext): Promise<boolean> {
  const row = await db.control
    .selectFrom('relata.workspaces')
    .select('id')
    .where('id', '=', model.workspace.id)
    .where('data_model_version', '=', model.version)
    .executeTakeFirst()
  return row !== undefined
}

/** Whether events after this place have expired, or may have. */
export async function isExpired({ db }: ApiContext, { at }: FeedPlace): Promise<boolean> {
  const row = await db.control
    .selectFrom('relata.kept_since')
    .select('table_name')
    .where('table_name', '=', 'events')
    .where('since', '>', timestampFromMicros(at))
    .executeTakeFirst()
  return row !== undefined
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
export interface FeedPlace {
  /** The reader has read all events up to this position. */
  readonly position: string
  /** All events up to `position` were published by this time, and no later event long before it. */
  readonly at: Micros
}

/** The beginning of the feed. */
export const FEED_START: FeedPlace = { position: '0', at: 0 }

export const cursorOf = ({ position, at }: FeedPlace): string => `${position}.${at}`

const CURSOR = /^(\d{1,18})\.(\d{1,16})$/

/** The inverse of `cursorOf`. Throws 400 for any other text. */
export function parseCursor(text: string): FeedPlace {
  const [, position, at] = CURSOR.exec(text) ?? []
  if (position === undefined || at === undefined)
    throw invalidQuery([{ code: 'invalid', path: ['cursor'], message: 'Not a cursor of this feed' }])
  return { position, at: Number(at) }
}
