/**
 * Expands the recurrence of an event within a window. The iterators of ical.js have no bound: some rules never match, and they
 * search forever. So each search is limited. Decision 0095.
 */

import ICAL from 'ical.js'

/** Occurrences after `from` and before `until`, in milliseconds since 1970. */
export interface Window {
  readonly from: number
  readonly until: number
}

export const MAX_OCCURRENCES = 1_100
/** Candidates of one rule. A daily event of a hundred years has fewer. */
const MAX_CANDIDATES = 50_000
const MAX_INTERVAL = 1_000
const DAY_MS = 86_400_000

/** The rule never matches, or too seldom or too often. The message is for people. */
export class RecurrenceError extends Error {}

/** Counts the candidates that a rule is tested against. */
class LimitedIterator extends ICAL.RecurIterator {
  private candidates = 0

  override check_contracting_rules(): boolean {
    this.candidates++
    if (this.candidates > MAX_CANDIDATES)
      throw new RecurrenceError('Its recurrence rule has too few or too many occurrences.')
    return super.check_contracting_rules()
  }
}

export function isRecurring(component: ICAL.Component): boolean {
  return component.hasProperty('rrule') || component.hasProperty('rdate')
}

/** The starts of the occurrences in the window, in order, without excluded ones. Throws `RecurrenceError`. */
export function expandOccurrences(component: ICAL.Component, start: ICAL.Time, window: Window): ICAL.Time[] {
  const excluded = new Set(timesOf(component, 'exdate').map(String))
  const found = new Map<string, ICAL.Time>()
  const add = (time: ICAL.Time) => {
    if (isWithin(time, window) && !excluded.has(String(time)) && !excluded.has(dateOf(time)))
      found.set(String(time), time)
    if (found.size > MAX_OCCURRENCES) throw new RecurrenceError(`It has more than ${MAX_OCCURRENCES} occurrences.`)
  }
  add(start)
  for (const time of timesOf(component, 'rdate')) add(time)
  for (const property of component.getAllProperties('rrule')) {
    const rule = property.getFirstValue()
    if (rule instanceof ICAL.Recur) expandRule(rule, start, window, add)
  }
  return [...found.values()].toSorted((a, b) => a.compare(b))
}

function expandRule(rule: ICAL.Recur, start: ICAL.Time, window: Window, add: (time: ICAL.Time) => void): void {
  if (rule.interval > MAX_INTERVAL) throw new RecurrenceError('The interval of its recurrence rule is too long.')
  const iterator = new LimitedIterator({ rule, dtstart: start })
  for (;;) {
    const time: ICAL.Time | null = iterator.next()
    if (time === null || approximate(time) > window.until + DAY_MS) return
    add(time.clone())
  }
}

const timesOf = (component: ICAL.Component, name: 'exdate' | 'rdate'): ICAL.Time[] =>
  component.getAllProperties(name).flatMap((property) => {
    const values: readonly unknown[] = property.getValues()
    return values.flatMap((value) => {
      if (value instanceof ICAL.Period) return value.start
      return value instanceof ICAL.Time ? value : []
    })
  })

/** A date among the excluded times excludes all occurrences of the day. */
const dateOf = (time: ICAL.Time): string => String(time).slice(0, 10)

/** The time as if it were in UTC. The window need not be exact to the hour. */
const approximate = ({ year, month, day, hour, minute }: ICAL.Time): number =>
  Date.UTC(year, month - 1, day, hour, minute)

const isWithin = (time: ICAL.Time, { from, until }: Window): boolean => {
  const at = approximate(time)
  return at >= from && at <= until
}
