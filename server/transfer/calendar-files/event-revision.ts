/** Says which of two forms of an event is the newer one: RFC 5545, 3.8.7. */

import ICAL from 'ical.js'

export interface EventRevision {
  /** Rises when the organizer changes the times of the event; 0 without one. */
  readonly sequence: number
  /** `LAST-MODIFIED`, or else `DTSTAMP`, in milliseconds since 1970; undefined without both. */
  readonly changedAt: number | undefined
}

const MAX_SEQUENCE = 2 ** 31 - 1

export function revisionOf(component: ICAL.Component): EventRevision {
  const sequence = Number(component.getFirstPropertyValue('sequence') ?? 0)
  return {
    sequence: Number.isInteger(sequence) ? Math.min(Math.max(sequence, 0), MAX_SEQUENCE) : 0,
    changedAt: timeOf(component, 'last-modified') ?? timeOf(component, 'dtstamp'),
  }
}

function timeOf(component: ICAL.Component, name: string): number | undefined {
  const value = component.getFirstPropertyValue(name)
  if (!(value instanceof ICAL.Time)) return undefined
  const at = value.toUnixTime() * 1000
  return Number.isSafeInteger(at) ? at : undefined
}
