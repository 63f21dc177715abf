/**
 * Times inside the service are whole microseconds since 1970 (`Micros`). PostgreSQL reads and prints them as text in UTC.
 * Clients see nanoseconds: `2025-07-22T15:07:00.895000000Z`.
 * See docs/reference/objects-and-attributes.md (Ids and timestamps).
 */

export type Micros = number

/** Returns the present time. Functions take a clock as a parameter, so that tests can set the time. */
export type Clock = () => Micros

export interface MachineClocks {
  /** Milliseconds since 1970. An operator may set this clock. */
  readonly wall: () => number
  /** Milliseconds since an instant in the past. This clock stops while the machine is suspended. */
  readonly monotonic: () => number
}

const OF_THIS_MACHINE: MachineClocks = { wall: Date.now, monotonic: () => performance.now() }

/**
 * Returns microseconds of the wall clock, never the same twice in a process and never backwards. When the wall clock is set
 * back, this clock runs at half its pace until the wall clock has caught up. When the wall clock is set forward, and after
 * a suspension, this clock jumps.
 */
export function systemClock({ wall, monotonic }: MachineClocks = OF_THIS_MACHINE): Clock {
  let lastRunning = monotonic() * 1000
  let present = wall() * 1000
  let last = 0
  return () => {
    const elapsed = monotonic() * 1000 - lastRunning
    lastRunning += elapsed
    const earliest = wall() * 1000
    const ahead = present + elapsed - (earliest + 999)
    present = Math.max(earliest, present + elapsed - Math.min(elapsed / 2, Math.max(ahead, 0)))
    return (last = Math.max(last + 1, Math.round(present)))
  }
}

/** Renders a timestamp for PostgreSQL and for clients. */
export function timestampFromMicros(micros: Micros): string {
  const millis = Math.floor(micros / 1000)
  const remainder = micros - millis * 1000
  return `${new Date(millis).toISOString().slice(0, 23)}${String(remainder).padStart(3, '0')}000Z`
}

/**
 * Converts `2025-07-22 15:07:00.895+00`, as PostgreSQL prints a timestamptz in UTC, to the form for clients. `nanos` is the
 * part below a microsecond, 0 to 999.
 */
export function timestampFromPostgres(text: string, nanos: number | null = null): string {
  const seconds = text.slice(0, 19)
  const fraction = text.charCodeAt(19) === 46 /* . */ ? text.slice(20, text.length - 3) : ''
  const below = nanos === null ? '000' : String(nanos).padStart(3, '0')
  return `${seconds.slice(0, 10)}T${seconds.slice(11)}.${fraction.padEnd(6, '0')}${below}Z`
}

/** The same of a column that may be null. */
export const timestampOrNull = (text: string | null): string | null =>
  text === null ? null : timestampFromPostgres(text)

/** Parses a timestamptz as PostgreSQL prints it in UTC. */
export function microsFromPostgres(text: string): Micros {
  const fraction = text.charCodeAt(19) === 46 ? text.slice(20, text.length - 3).padEnd(6, '0') : '000000'
  return Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`) * 1000 + Number(fraction)
}

const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})000Z$/

/** Parses what `timestampFromMicros` renders. */
export function microsFromTimestamp(text: string): Micros {
  const [, seconds, fraction] = TIMESTAMP.exec(text) ?? []
  const millis = Date.parse(`${seconds}Z`)
  if (Number.isNaN(millis)) throw new Error(`This is no timestamp: ${text.slice(0, 50)}.`)
  return millis * 1000 + Number(fraction)
}
