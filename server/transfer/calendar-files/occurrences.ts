/**
 * Expands the recurrence of an event within a window. The iterators of ical.js have no bound: some rules never match, and they
 * search forever. So the steps of each search are limited. See docs/decisions/mail-and-calendar-files.md.
 */

import ICAL from 'ical.js'

/** Occurrences after `from` and before `until`, in milliseconds since 1970. */
export interface Window {
  readonly from: number
  readonly until: number
}

const MAX_OCCURRENCES = 1_100
/** Steps of all rules of an event, between which the computation may pause. A daily event needs about 1,500 for each year. */
const MAX_STEPS = 500_000
/** Steps from one occurrence to the next, which take some milliseconds. */
const MAX_SEARCH_STEPS = 20_000
const MAX_INTERVAL = 1_000
/** Values in all lists of a rule. */
const MAX_LISTED = 500
const DAY_MS = 86_400_000

/** The rule never matches, or too seldom or too often. The message is for people. */
export class RecurrenceError extends Error {}

/** Limits the steps of the iterators that share it. */
export class StepLimit {
  private readonly perSearch: number
  private ofSearch = 0

  constructor(
    private left: number,
    perSearch = left,
  ) {
    this.perSearch = perSearch
  }

  beginSearch(): void {
    this.ofSearch = 0
  }

  take(steps: number): void {
    this.left -= steps
    this.ofSearch += steps
    if (this.left < 0 || this.ofSearch > this.perSearch)
      throw new RecurrenceError('Its recurrence rule has too few or too many occurrences.')
  }
}

interface LimitedOptions {
  readonly rule: ICAL.Recur
  readonly dtstart: ICAL.Time
  readonly limit: StepLimit
}

/** Counts steps of less than a microsecond, wherever an iterator has a loop. */
export class LimitedIterator extends ICAL.RecurIterator {
  // Without initial values, which would be assigned after the constructor of the iterator has searched for the first occurrence.
  declare private limit: StepLimit
  declare private lists: Readonly<Record<string, number>>
  declare private listed: number

  // oxlint-disable-next-line no-useless-constructor -- it narrows the type of the options
  constructor(options: LimitedOptions) {
    super(options)
  }

  override fromData(options: LimitedOptions): void {
    const parts: Readonly<Record<string, unknown>> = options.rule.parts
    this.limit = options.limit
    this.lists = Object.fromEntries(
      Object.entries(parts).map(([name, list]) => [name, Array.isArray(list) ? list.length : 1]),
    )
    this.listed = Object.values(this.lists).reduce((sum, length) => sum + length, 0)
    if (this.listed > MAX_LISTED) throw new RecurrenceError('Its recurrence rule has too many values.')
    this.limit.beginSearch()
    super.fromData(options)
  }

  override next(again?: boolean): ICAL.Time {
    this.limit.beginSearch()
    return super.next(again)
  }

  override check_contracting_rules(): boolean {
    this.limit.take(2 + this.listed / 4)
    return super.check_contracting_rules()
  }

  override ruleDayOfWeek(...given: Parameters<ICAL.RecurIterator['ruleDayOfWeek']>): number[] {
    this.limit.take(3)
    return super.ruleDayOfWeek(...given)
  }

  override increment_month(): void {
    this.limit.take(2 + (this.lists.BYMONTHDAY ?? 0))
    super.increment_month()
  }

  override increment_monthday(days: number): void {
    this.limit.take(days / 4)
    super.increment_monthday(days)
  }

  override expand_year_days(year: number): number {
    const { BYDAY = 0, BYMONTH = 0, BYMONTHDAY = 0, BYYEARDAY = 0 } = this.lists
    this.limit.take(20 + 20 * BYDAY + (1 + BYMONTH) * (1 + BYMONTHDAY) + BYYEARDAY)
    return super.expand_year_days(year)
  }
}

export function isRecurring(component: ICAL.Component): boolean {
  return component.hasProperty('rrule') || component.hasProperty('rdate')
}

/** The starts of the occurrences in the window, in order, without excluded ones. Throws `RecurrenceError`. */
export function* expandOccurrences(
  component: ICAL.Component,
  start: ICAL.Time,
  window: Window,
): Generator<void, ICAL.Time[]> {
  const excluded = new Set<string>()
  for (const times of timesOf(component, 'exdate')) {
    for (const time of times) excluded.add(String(time))
    yield
  }
  const found = new Map<string, ICAL.Time>()
  const add = (time: ICAL.Time) => {
    if (isWithin(time, window) && !excluded.has(String(time)) && !excluded.has(dateOf(time)))
      found.set(String(time), time)
    if (found.size > MAX_OCCURRENCES) throw new RecurrenceError(`It has more than ${MAX_OCCURRENCES} occurrences.`)
  }
  add(start)
  for (const times of timesOf(component, 'rdate')) {
    for (const time of times) add(time)
    yield
  }
  const limit = new StepLimit(MAX_STEPS, MAX_SEARCH_STEPS)
  for (const property of component.getAllProperties('rrule')) {
    const rule = property.getFirstValue()
    if (!(rule instanceof ICAL.Recur)) continue
    for (const time of occurrencesOf(rule, start, window, limit)) {
      add(time)
      yield
    }
    yield
  }
  return [...found.values()].toSorted((a, b) => a.compare(b))
}

function* occurrencesOf(rule: ICAL.Recur, start: ICAL.Time, window: Window, limit: StepLimit): Generator<ICAL.Time> {
  if (rule.interval > MAX_INTERVAL) throw new RecurrenceError('The interval of its recurrence rule is too long.')
  const iterator = new LimitedIterator({ rule, dtstart: start, limit })
  for (;;) {
    const time: ICAL.Time | null = iterator.next()
    if (time === null || approximate(time) > window.until + DAY_MS) return
    yield time.clone()
  }
}

/** The times of each property. */
function* timesOf(component: ICAL.Component, name: 'exdate' | 'rdate'): Generator<ICAL.Time[]> {
  for (const property of component.getAllProperties(name)) {
    const values: readonly unknown[] = property.getValues()
    yield values.flatMap((value) => {
      if (value instanceof ICAL.Period) return value.start
      return value instanceof ICAL.Time ? value : []
    })
  }
}

/** A date among the excluded times excludes all occurrences of the day. */
const dateOf = (time: ICAL.Time): string => String(time).slice(0, 10)

/** The time as if it were in UTC. The window need not be exact to the hour. */
const approximate = ({ year, month, day, hour, minute }: ICAL.Time): number =>
  Date.UTC(year, month - 1, day, hour, minute)

const isWithin = (time: ICAL.Time, { from, until }: Window): boolean => {
  const at = approximate(time)
  return at >= from && at <= until
}
