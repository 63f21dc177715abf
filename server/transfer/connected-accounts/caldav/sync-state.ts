/** How far the synchronisation of a CalDAV account is, as the account stores it, and the events that were read. */

import type { Sql, Transaction } from '#db/connect'
import { anyOf, controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'

export interface CalendarState {
  /** Names the calendar in `relata.synced_events` and `relata.synced_meetings`. */
  readonly id: number
  readonly url: string
  readonly token: string | null
  readonly ctag: string | null
  /** When all events were read last, in milliseconds since 1970; null before the first time. */
  readonly readAt: number | null
}

export interface CalDavState {
  readonly nextId: number
  readonly calendars: readonly CalendarState[]
  /** Numbers of calendars that are gone or no longer chosen, whose meetings are forgotten once all others were read. */
  readonly retired: readonly number[]
}

export const parseState = (stored: unknown): CalDavState => ({
  nextId: 1,
  calendars: [],
  retired: [],
  ...(stored as Partial<CalDavState>), // an earlier run wrote it
})

export const replaceCalendar = (state: CalDavState, calendar: CalendarState): CalDavState => ({
  ...state,
  calendars: state.calendars.map((each) => (each.id === calendar.id ? calendar : each)),
})

/** The state with these calendars and no others. */
export function withCalendars(state: CalDavState, urls: readonly string[]): CalDavState {
  const kept = state.calendars.filter(({ url }) => urls.includes(url))
  const gone = state.calendars.filter(({ url }) => !urls.includes(url)).map(({ id }) => id)
  const added = urls.filter((url) => !kept.some((each) => each.url === url))
  const calendars = added.map((url, index) => ({
    id: state.nextId + index,
    url,
    token: null,
    ctag: null,
    readAt: null,
  }))
  return {
    nextId: state.nextId + added.length,
    calendars: [...kept, ...calendars],
    retired: [...state.retired, ...gone],
  }
}

/** The state in which all events are read again. */
export const readAgain = (state: CalDavState): CalDavState => ({
  ...state,
  calendars: state.calendars.map((each) => ({ ...each, token: null, ctag: null, readAt: null })),
})

// The events of a calendar that were read, with their ETags.

interface CalendarKey {
  readonly workspaceId: string
  /** The account. */
  readonly id: string
  readonly calendar: number
}

const ofCalendar = (on: Sql | Transaction, { workspaceId, id, calendar }: CalendarKey) =>
  controlQueriesIn(on)
    .selectFrom('relata.synced_events')
    .where(equal({ workspace_id: workspaceId, account_id: id, calendar }))

/** The ETags of all events by key. */
export async function listEtags(on: Sql, calendar: CalendarKey): Promise<Map<string, string>> {
  const rows = await ofCalendar(on, calendar).select(['event_key', 'etag']).execute()
  return new Map(rows.map(({ event_key, etag }) => [event_key, etag]))
}

export async function countEvents(on: Sql, { workspaceId, id }: Omit<CalendarKey, 'calendar'>): Promise<number> {
  const row = await controlQueriesIn(on)
    .selectFrom('relata.synced_events')
    .select((each) => each.fn.countAll<string>().as('count'))
    .where(equal({ workspace_id: workspaceId, account_id: id }))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

export async function saveEtags(
  tx: Transaction,
  { workspaceId, id, calendar }: CalendarKey,
  etags: ReadonlyMap<string, string>,
): Promise<void> {
  if (etags.size === 0) return
  const rows = [...etags].map(([event_key, etag]) => ({
    workspace_id: workspaceId,
    account_id: id,
    calendar,
    event_key,
    etag,
  }))
  await controlQueriesIn(tx)
    .insertInto('relata.synced_events')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'account_id', 'calendar', 'event_key'])
        .doUpdateSet((each) => ({ etag: each.ref('excluded.etag') })),
    )
    .execute()
}

/** Has all events of the account, or of one calendar, read again. */
export async function clearEtags(
  tx: Transaction,
  { workspaceId, id, calendar }: Omit<CalendarKey, 'calendar'> & { readonly calendar?: number },
): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.synced_events')
    .set({ etag: '' })
    .where(equal({ workspace_id: workspaceId, account_id: id }))
    .$if(calendar !== undefined, (query) => query.where('calendar', '=', calendar ?? 0))
    .execute()
}

/** Forgets some events of a calendar, or all. */
export async function deleteEvents(
  tx: Transaction,
  { workspaceId, id, calendar }: CalendarKey,
  keys?: readonly string[],
): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.synced_events')
    .where(equal({ workspace_id: workspaceId, account_id: id, calendar }))
    .$if(keys !== undefined, (query) => query.where('event_key', '=', anyOf(keys ?? [], 'text')))
    .execute()
}
