/** Finds when a message was sent: `Date`, else the newest `Received`, else the line before it in an mbox file. */

import type { CellProblem } from '#transfer/import/problems/row-problem'
import type { Micros } from '#base/timing/clock'
import type { RawMessage } from './raw-message'

const DAY = 86_400_000_000

/** Longer texts are no times. */
const MAX_TIME_LENGTH = 100

/** `Date` has comments, also long ones. */
const MAX_DATE_LENGTH = 1_000

/** The text of `Date`, in the form of ISO 8601 if it is a time. */
export function dateText({ headers }: RawMessage): string | undefined {
  const text = headers.get('date')?.[0]
  if (text === undefined || text.length > MAX_DATE_LENGTH) return text
  const millis = Date.parse(text)
  return Number.isNaN(millis) ? text : new Date(millis).toISOString()
}

/** Reports a `Date` that is not used. A time of a later day than today's is wrong. */
export function findSendingTime(message: RawMessage, now: Micros, problems: CellProblem[]): Micros | undefined {
  const isPossible = (at: Micros | undefined) => at !== undefined && at >= 0 && at <= now + DAY
  const date = dateText(message)
  const sent = parseTime(date)
  if (isPossible(sent)) return sent
  const { headers, separator } = message
  const received = headers.get('received')?.[0]
  const others = [received?.slice(received.lastIndexOf(';') + 1), separator && timeOfSeparator(separator)]
  const found = others.map(parseTime).find(isPossible)
  if (date !== undefined && found !== undefined)
    problems.push({
      column: 'Date',
      value: date.slice(0, MAX_TIME_LENGTH),
      reason: 'It is not a time in the past. The time of the delivery is imported.',
    })
  return found
}

function parseTime(text: string | undefined): Micros | undefined {
  if (text === undefined || text.length > MAX_TIME_LENGTH) return undefined
  const millis = Date.parse(text.trim())
  return Number.isNaN(millis) ? undefined : millis * 1000
}

/** `From ada@relata.dev Fri Jul  8 12:08:34 2011`, in UTC. Some programs write an offset before the year. */
function timeOfSeparator(separator: string): string | undefined {
  const [, month, day, time, offset = '+0000', year] =
    /\b([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d:\d\d:\d\d)(?: ([+-]\d{4}))? (\d{4})\b/.exec(separator) ?? []
  return month === undefined ? undefined : `${day} ${month} ${year} ${time} ${offset}`
}
