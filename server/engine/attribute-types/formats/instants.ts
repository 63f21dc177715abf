/**
 * Parses and renders dates and instants in ISO 8601: from a year alone to nanoseconds with an offset. The stored form is the
 * form that PostgreSQL prints, so that a written value and the same value read back are the same text.
 * See docs/reference/values.md (Date, Timestamp).
 */
import { InvalidValue } from '#base/errors/api-error'
import { invalidBody } from '#base/errors/http'
import { trimEnd } from '#base/text/csv-line'
import { type Micros, microsFromPostgres, timestampFromPostgres } from '#base/timing/clock'
import { daysIn } from '#vocabulary/written-values'

/** A stored instant: microseconds in PostgreSQL's form, `2025-07-22 15:07:00.895+00`, and the nanoseconds below. */
interface StoredInstant {
  readonly value: string
  /** Nanoseconds below the microsecond, 1 to 999; null for none. */
  readonly value_ns: number | null
}

interface Moment {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  /** Digits after the decimal point. */
  readonly fraction: string
  /** Minutes ahead of UTC; null without a zone. */
  readonly offset: number | null
}

const ISO_8601 =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?)?)?)?$/i

const INVALID_DATE = 'Invalid date; expected a form such as 2026-01-31, 2026-01 or 2026'
const INVALID_TIMESTAMP = 'Invalid timestamp; expected ISO 8601 such as 2026-01-31T14:30:00Z, or a date'

/** The calendar day of a date: as written, or in UTC if it has a zone. */
export function parseDate(text: string, path: string[] = []): string {
  const moment = readMoment(text.trim())
  const utc = moment && toUtc(moment)
  if (!utc) throw invalidMoment(INVALID_DATE, path)
  return dateText(utc)
}

/** Parses an instant. Without a zone it is in UTC. Digits below a nanosecond are dropped. */
export function parseInstant(text: string, path: string[] = []): StoredInstant {
  const moment = readMoment(text.trim())
  const utc = moment && toUtc(moment)
  if (!utc) throw invalidMoment(INVALID_TIMESTAMP, path)
  const digits = utc.fraction.slice(0, 9).padEnd(9, '0')
  const nanos = Number(digits.slice(6))
  return { value: instantText(utc, digits.slice(0, 6)), value_ns: nanos === 0 ? null : nanos }
}

/** Parses an instant to microseconds. Throws for one that is no safe integer of them. */
export function microsOf(text: string): Micros {
  const micros = microsFromPostgres(parseInstant(text).value)
  if (!Number.isSafeInteger(micros)) throw invalidMoment(INVALID_TIMESTAMP, [])
  return micros
}

/** Renders a stored instant for clients, in any form that PostgreSQL prints. */
export const renderInstant = (value: string, nanos: number | null): string =>
  timestampFromPostgres(canonicalInstant(value), nanos)

/** The canonical text of an instant of a column or of JSON: equal instants have equal texts. */
export function canonicalInstant(text: string): string {
  if (text[10] === ' ') return text
  const fraction = trimEnd(/^\.(\d{1,6})/.exec(text.slice(19))?.[1] ?? '', '0')
  return `${text.slice(0, 10)} ${text.slice(11, 19)}${fraction === '' ? '' : `.${fraction}`}+00`
}

function readMoment(text: string): Moment | undefined {
  const parts = ISO_8601.exec(text)
  if (!parts) return undefined
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', fraction = '', zone] = parts
  return {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    fraction,
    offset: zone === undefined ? null : offsetOf(zone),
  }
}

/** Minutes ahead of UTC of `Z`, `+02`, `+0200` or `+02:00`; NaN for an impossible zone. */
function offsetOf(zone: string): number {
  if (zone === 'Z' || zone === 'z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', ''))
  if (hours > 23 || minutes > 59) return Number.NaN
  return (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes)
}

/** The same instant in UTC; undefined if it does not exist or its year is not 1 to 9999. */
function toUtc(moment: Moment): Moment | undefined {
  const { year, month, day, hour, minute, second, offset } = moment
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 59 || Number.isNaN(offset)) return undefined
  const utc = offset ? shifted(moment, offset) : moment
  return utc.year < 1 || utc.year > 9999 ? undefined : utc
}

function shifted(moment: Moment, offset: number): Moment {
  const { year, month, day, hour, minute } = moment
  // `Date.UTC` would take years below 100 for 19xx; `setUTCFullYear` does not.
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute - offset)
  return {
    ...moment,
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
  }
}

const dateText = ({ year, month, day }: Moment): string =>
  `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`

function instantText(moment: Moment, micros: string): string {
  const time = `${twoDigits(moment.hour)}:${twoDigits(moment.minute)}:${twoDigits(moment.second)}`
  const fraction = trimEnd(micros, '0')
  return `${dateText(moment)} ${time}${fraction === '' ? '' : `.${fraction}`}+00`
}

const twoDigits = (number: number): string => (number < 10 ? `0${number}` : String(number))

const invalidMoment = (message: string, path: string[]) =>
  new InvalidValue([{ code: 'invalid_string', path, message, string_validation: 'datetime' }])

/** Reads `data.created_at`, the time that a request gives for something it creates; without it, the creation is now. Throws 400 for a time before 1970 or in the future. */
export function readCreationTime(text: string | undefined, now: Micros): Micros {
  const micros = text === undefined ? now : parseTime(text)
  if (micros !== undefined && micros >= 0 && micros <= now) return micros
  const message = 'Expected a timestamp from 1970 to now'
  throw invalidBody([{ code: 'invalid', path: ['data', 'created_at'], message }])
}

function parseTime(text: string): Micros | undefined {
  try {
    return microsOf(text)
  } catch (error) {
    if (error instanceof InvalidValue) return undefined
    throw error
  }
}
