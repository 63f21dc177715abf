/** How far the synchronisation of a CalDAV account is, as the account stores it. */

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
