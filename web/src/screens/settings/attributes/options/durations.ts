/** Target times as a number of one unit. */

export type Unit = 'H' | 'D' | 'W' | 'M'

export const UNITS: readonly { readonly value: Unit; readonly label: string }[] = [
  { value: 'H', label: 'hours' },
  { value: 'D', label: 'days' },
  { value: 'W', label: 'weeks' },
  { value: 'M', label: 'months' },
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
  const label = UNITS.find(({ value }) => value === span.unit)?.label ?? ''
  return `${span.count} ${span.count === 1 ? label.slice(0, -1) : label}`
}
