/** Target times as a number of one unit. */

export type Unit = 'H' | 'D' | 'W' | 'M'

export const UNITS: readonly { readonly value: Unit; readonly label: string; readonly one: string }[] = [
  { value: 'H', label: 'hours', one: 'hour' },
  { value: 'D', label: 'days', one: 'day' },
  { value: 'W', label: 'weeks', one: 'week' },
  { value: 'M', label: 'months', one: 'month' },
]

export interface Span {
  readonly count: number
  readonly unit: Unit
}

/** "P3D", "PT12H". */
export const durationOf = ({ count, unit }: Span): string => (unit === 'H' ? `PT${count}H` : `P${count}${unit}`)

/** Undefined for a duration of several units. */
export function spanOf(duration: string): Span | undefined {
  const [, time, count, unit] = /^P(T?)(\d+)([HDWM])$/.exec(duration) ?? []
  const found = UNITS.find(({ value }) => value === unit)
  if (count === undefined || found === undefined || (time === 'T') !== (unit === 'H')) return undefined
  return { count: Number(count), unit: found.value }
}

/** "3 days". A duration of several units stays in its ISO form. */
export function durationText(duration: string): string {
  const span = spanOf(duration)
  if (span === undefined) return duration
  const unit = UNITS.find(({ value }) => value === span.unit)
  return `${span.count} ${span.count === 1 ? unit?.one : unit?.label}`
}
