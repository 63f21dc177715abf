/** The rows behind the feed. */

import type { ApiContext } from '../../context'
import { type Micros, microsFromPostgres, timestampFromMicros, timestampFromPostgres } from '../../timing/clock'
import type { EventType } from '../../events/event-types'
import type { Place } from './cursor'

/** An event as it was published. */
export interface EventRow {
  readonly id: string
  readonly event_type: EventType
  readonly occurredAt: string
  /** The event as delivered, as JSON text. */
  readonly body: string
  readonly place: Place
}

export interface Scan {
  readonly after: Place
  /** How many events are looked at. */
  readonly rows: number
  /** Undefined: all. */
  readonly types: readonly EventType[] | undefined
}

export interface Scanned {
  readonly events: EventRow[]
  /** The last that was looked at; undefined when there was none. */
  readonly last: Place | undefined
  /** Whether it stopped before the end. */
  readonly isCut: boolean
}

/** Clocks of publishers may differ by less than this, so the partitions before it need no look. */
const CLOCKS_DIFFER_MICROS = 86_400_000_000

/** Looks at the next events in the order of their positions, and gives those of the wanted types. */
export async function scanEvents({ db, model }: ApiContext, { after, rows, types }: Scan): Promise<Scanned> {
  const from = timestampFromMicros(Math.max(0, after.at - CLOCKS_DIFFER_MICROS))
  const found = await db.sql<ScannedRow[]>`
    with scanned as (
      select position, recorded_at, id, event_type, occurred_at, body from relata.events
      where workspace_id = ${model.workspace.id} and position > ${after.position} and recorded_at >= ${from}
      order by position limit ${rows}
    ), size as (select count(*)::int as looked_at, max(position) as last_position from scanned)
    select size.looked_at, s.position, s.recorded_at, s.id, s.event_type, s.occurred_at, s.body
    from scanned s, size
    where s.position = size.last_position or ${types === undefined} or s.event_type = any(${[...(types ?? [])]}::text[])
    order by s.position`
  const last = found.at(-1)
  return {
    events: found.map(fromRow).filter(({ event_type }) => types === undefined || types.includes(event_type)),
    last: last && positionOf(last),
    isCut: last?.looked_at === rows,
  }
}

/** After everything there is by now. */
export async function findEnd({ db, model, now }: ApiContext): Promise<Place> {
  const at = now()
  const [row] = await db.sql<[{ position: string }]>`
    select coalesce(max(position), 0) as position from relata.events where workspace_id = ${model.workspace.id}`
  return { position: row.position, at }
}

/** Before everything that was published at `at` or later. */
export async function findStart(context: ApiContext, at: Micros): Promise<Place> {
  const { db, model } = context
  const [row] = await db.sql<[{ position: string }?]>`
    select position - 1 as position from relata.events
    where workspace_id = ${model.workspace.id} and recorded_at >= ${timestampFromMicros(at)}
    order by events.position limit 1`
  return row ? { position: row.position, at } : findEnd(context)
}

/** Whether the newest data model is this one. */
export async function isNewest({ db, model }: ApiContext): Promise<boolean> {
  const [row] = await db.sql`
    select 1 from relata.workspaces where id = ${model.workspace.id} and data_model_version = ${model.version}`
  return row !== undefined
}

/** Whether events that came after this place have been dropped, or may have been. */
export async function isExpired({ db }: ApiContext, { at }: Place): Promise<boolean> {
  const [row] = await db.sql`
    select 1 from relata.kept_since where table_name = 'events' and since > ${timestampFromMicros(at)}`
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

const positionOf = ({ position, recorded_at }: ScannedRow): Place => ({ position, at: microsFromPostgres(recorded_at) })

const fromRow = (row: ScannedRow): EventRow => ({
  id: row.id,
  event_type: row.event_type,
  occurredAt: timestampFromPostgres(row.occurred_at),
  body: row.body,
  place: positionOf(row),
})
