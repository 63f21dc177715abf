/** Starts confetti when a record or an entry gets a status with `celebration_enabled`, unless the person prefers reduced motion. */

import type { Entity, Value } from '../api/records/entities'

export function celebrateChange(before: readonly Value[], after: readonly Value[]): void {
  const known = new Set(before.map(statusIdOf))
  if (after.some((value) => isCelebrated(value) && !known.has(statusIdOf(value)))) celebrate()
}

export function celebrateNew({ values }: Entity): void {
  if (Object.values(values).flat().some(isCelebrated)) celebrate()
}

const isObject = (given: unknown): given is Readonly<Record<string, unknown>> =>
  typeof given === 'object' && given !== null

const isCelebrated = ({ status }: Value): boolean => isObject(status) && status.celebration_enabled === true

const statusIdOf = ({ status }: Value): unknown =>
  isObject(status) && isObject(status.id) ? status.id.status_id : undefined

function celebrate(): void {
  if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) return
  // A failed load is not worth a message.
  import('./confetti').then(({ startConfetti }) => startConfetti()).catch(() => {})
}
