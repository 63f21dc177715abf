/**
 * Instants inside the service are whole microseconds since 1970 (`Micros`); PostgreSQL gives and takes them as text in
 * UTC; clients see nanoseconds, `2025-07-22T15:07:00.895000000Z`. Spec 2, values 1.
 */

export type Micros = number

/** The present, handed in wherever it is needed so that tests can set it. */
export type Clock = () => Micros

/** Microseconds of the wall clock, never the same twice in a process and never backwards. */
export function systemClock(): Clock {
  let last = 0
  return () => (last = Math.max(last + 1, Math.round((performance.timeOrigin + performance.now()) * 1000)))
}

/** What PostgreSQL reads as a timestamptz and clients read as a timestamp. */
export function timestampFromMicros(micros: Micros): string {
  const millis = Math.floor(micros / 1000)
  const remainder = micros - millis * 1000
  return `${new Date(millis).toISOString().slice(0, 23)}${String(remainder).padStart(3, '0')}000Z`
}

/**
 * `2025-07-22 15:07:00.895+00`, as PostgreSQL prints a timestamptz in UTC, for clients; `nanos` is the part below a
 * microsecond, 0 to 999.
 */
export function timestampFromPostgres(text: string, nanos: number | null = null): string {
  const seconds = text.slice(0, 19)
  const fraction = text.charCodeAt(19) === 46 /* . */ ? text.slice(20, text.length - 3) : ''
  const below = nanos === null ? '000' : String(nanos).padStart(3, '0')
  return `${seconds.slice(0, 10)}T${seconds.slice(11)}.${fraction.padEnd(6, '0')}${below}Z`
}

/** The instant PostgreSQL printed, in microseconds. */
export function microsFromPostgres(text: string): Micros {
  const fraction = text.charCodeAt(19) === 46 ? text.slice(20, text.length - 3).padEnd(6, '0') : '000000'
  return Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`) * 1000 + Number(fraction)
}
