/** The time zones that an iCalendar file describes by the rules of their changes of the clocks. */

import ICAL from 'ical.js'
import { LimitedIterator, StepLimit } from './occurrences'
import type { CalendarComponent } from './read-components'

/** Further time zones of a file are ignored. */
const MAX_TIMEZONES = 200
/** A time zone with more text cannot be used. */
const MAX_LENGTH = 64 * 1024
/** Steps of the rules of a time zone, which are expanded without a pause. One with two rules needs about 6,000. */
const MAX_STEPS = 20_000
/** Changes of the clocks are computed from this year until so many years from now. */
const FIRST_YEAR = 1970
const YEARS_AHEAD = 20

/** The parent of the components of events: ical.js looks up their time zones here. */
export class CalendarTimezones extends ICAL.Component {
  /** Undefined for a time zone that cannot be used. */
  private readonly byId = new Map<string, ICAL.Timezone | undefined>()

  constructor() {
    super('vcalendar')
  }

  /** Computes the changes of the clocks. */
  add({ properties, problem }: CalendarComponent): void {
    const id = idOf(properties)
    if (id === undefined || this.byId.has(id) || this.byId.size === MAX_TIMEZONES) return
    this.byId.set(id, problem === undefined ? expand(id, properties) : undefined)
  }

  /** Null for a time zone that the file does not describe, as in ical.js. Throws for one that cannot be used. */
  override getTimeZoneByID(id: string): ICAL.Timezone {
    const found = this.byId.get(id)
    if (found === undefined && this.byId.has(id)) throw new Error('The time zone of the file cannot be used.')
    return (found ?? null) as ICAL.Timezone // ical.js declares the type without null, and checks for null
  }
}

const idOf = (properties: readonly string[]): string | undefined =>
  properties.flatMap((text) => /^TZID(?:;[^:]*)?:(.+)$/i.exec(text)?.[1] ?? [])[0]

/** Undefined for a time zone that cannot be parsed, or whose rules take too many steps. */
function expand(id: string, properties: readonly string[]): ICAL.Timezone | undefined {
  const text = ['BEGIN:VTIMEZONE', ...properties, 'END:VTIMEZONE'].join('\r\n')
  if (text.length > MAX_LENGTH) return undefined
  try {
    const component = new ICAL.Component(ICAL.parse(text))
    const limit = new StepLimit(MAX_STEPS)
    for (const part of component.getAllSubcomponents()) limitRules(part, limit)
    const timezone = new LimitedTimezone({ component, tzid: id })
    timezone.utcOffset(ICAL.Time.fromData({ year: timezone.lastYear, month: 1, day: 1 }))
    return timezone
  } catch {
    return undefined // ical.js throws errors of several classes
  }
}

/** ical.js would expand all rules again for each later year. A later year has the changes of the last one. */
class LimitedTimezone extends ICAL.Timezone {
  readonly lastYear = ICAL.Time.now().year + YEARS_AHEAD

  override utcOffset(time: ICAL.Time): number {
    if (time.year <= this.lastYear) return super.utcOffset(time)
    const inLastYear = time.clone()
    inLastYear.year = this.lastYear
    return super.utcOffset(inLastYear)
  }
}

function limitRules(part: ICAL.Component, limit: StepLimit): void {
  const start = part.getFirstPropertyValue('dtstart')
  for (const property of part.getAllProperties('rrule')) {
    const rule = property.getFirstValue()
    if (!(rule instanceof ICAL.Recur)) continue
    rule.iterator = (dtstart) => new LimitedIterator({ rule, dtstart, limit })
    // Many calendars describe each year since 1601.
    const isEachYear = rule.freq === 'YEARLY' && rule.interval === 1 && rule.count === null
    if (isEachYear && start instanceof ICAL.Time && start.year < FIRST_YEAR) start.year = FIRST_YEAR
  }
}
