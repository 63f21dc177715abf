/**
 * Dates and instants as people and machines write them, in ISO 8601: from a year alone to nanoseconds with an offset.
 * They are stored as PostgreSQL itself prints them, so that what was written and what is read back are the same text.
 * See docs/reference/values.md (Date, Timestamp).
 */

import { InvalidValue } from '../../errors/api-error'
import { trimEnd } from '../../text/trim-end'
import { type Micros, microsFromPostgres, timestampFromPostgres } from '../../timing/clock'

/** An instant as stored: microseconds as PostgreSQL prints them, `2025-07-22 15:07:00.895+00`, and what is below. */
export interface StoredInstant {
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
  /** Minutes ahead of UTC; null when no zone is given. */
  readonly offset: number | null
}

const ISO_8601 =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?)?)?)?$/i

/** The calendar day of a date: as written, or in UTC when it has a zone. */
export function parseDate(text: string, path: string[] = []): string {
  const moment = readMoment(text.trim())
  const utc = moment && toUtc(moment)
  if (!utc) throw invalidMoment('Invalid date', path)
  return dateText(utc)
}

/** An instant; UTC is assumed when it has no zone, digits below a nanosecond are dropped. */
export function parseInstant(text: string, path: string[] = []): StoredInstant {
  const moment = readMoment(text.trim())
  const utc = moment && toUtc(moment)
  if (!utc) throw invalidMoment('Invalid timestamp', path)
  const digits = utc.fraction.slice(0, 9).padEnd(9, '0')
  const nanos = Number(digits.slice(6))
  return { value: instantText(utc, digits.slice(0, 6)), value_ns: nanos === 0 ? null : nanos }
}

/** An instant in microseconds; refused when it is too far away to be counted in whole ones. */
export function microsOf(text: string): Micros {
  const micros = microsFromPostgres(parseInstant(text).value)
  if (!Number.isSafeInteger(micros)) throw invalidMoment('Invalid timestamp', [])
  return micros
}

/** A stored instant for clients, whichever way PostgreSQL printed it. */
export const renderInstant = (value: string, nanos: number | null): string =>
  timestampFromPostgres(canonicalInstant(value), nanos)

/** An instant in UTC, as a column or as JSON has it, in the one form in which equal instants are equal texts. */
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

/** Minutes ahead of UTC of `Z`, `+02`, `+0200` or `+02:00`; NaN when there can be no such zone. */
function offsetOf(zone: string): number {
  if (zone === 'Z' || zone === 'z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', ''))
  if (hours > 23 || minutes > 59) return Number.NaN
  return (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes)
}

/** The same moment without offset; undefined when it does not exist or its year is not 1 to 9999. */
function toUtc(moment: Moment): Moment | undefined {
  const { year, month, day, hour, minute, second, offset } = moment
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 59 || Number.isNaN(offset)) return undefined
  const utc = offset ? shifted(moment, offset) : moment
  return utc.year < 1 || utc.year > 9999 ? undefined : utc
}

function shifted(moment: Moment, offset: number): Moment {
  const { year, month, day, hour, minute } = moment
  // Years below 100 would be taken for 19xx, so the date is set on its own.
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

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
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
