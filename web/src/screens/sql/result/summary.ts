/** The size and duration of a result in words. */

import { numberText } from '../../../values/formats'

export const rowsText = (rows: number): string => (rows === 1 ? '1 row' : `${numberText(rows)} rows`)

const MINUTE_MS = 60_000

/** "12 ms", "1.24 s", "2 min 5 s". */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < MINUTE_MS) return `${numberText(Math.round(ms / 10) / 100)} s`
  return `${Math.floor(ms / MINUTE_MS)} min ${Math.floor((ms % MINUTE_MS) / 1000)} s`
}
