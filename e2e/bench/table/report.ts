/** What the bench of the table prints. */

import type { PageChange } from './change-pages'
import type { MainThread } from './trace'

/** A frame at 60 Hz has 16.7 ms, of which other threads of the browser and the machine need a part. */
const MAX_FRAME_MS = 8
const MAX_CHANGE_MS = 100
const KINDS = 12

export function renderScroll(rowsPerFrame: number, { frames, byKind }: MainThread): string {
  const sum = frames.reduce((total, time) => total + time, 0)
  const mean = sum / frames.length
  const kinds = [...byKind].toSorted(([, one], [, other]) => other - one).slice(0, KINDS)
  return [
    `Scrolling by ${rowsPerFrame} rows a frame, ms of the main thread: ${quantiles(frames)}, mean ${mean.toFixed(2)} (${verdict(mean <= MAX_FRAME_MS)}: of ≤ ${MAX_FRAME_MS})`,
    ...kinds.map(([name, time]) => `  ${name.padEnd(28)} ${(time / frames.length).toFixed(2)}`),
  ].join('\n')
}

export const renderPageChanges = (changes: readonly PageChange[]): string =>
  [...Map.groupBy(changes, ({ name }) => name)]
    .map(([name, all]) => {
      const cpu = all.map((one) => one.cpu)
      return `${name}: ms of the main thread ${quantiles(cpu)} (${verdict(at(cpu, 0.5) <= MAX_CHANGE_MS)}: p50 of ≤ ${MAX_CHANGE_MS}), from the press to the rows ${quantiles(all.map(({ wall }) => wall))}`
    })
    .join('\n')

const at = (times: readonly number[], quantile: number): number =>
  times.toSorted((one, other) => one - other)[Math.floor((times.length - 1) * quantile)] ?? 0

const quantiles = (times: readonly number[]): string =>
  `p50 ${at(times, 0.5).toFixed(1)}, p95 ${at(times, 0.95).toFixed(1)}, most ${at(times, 1).toFixed(1)}`

const verdict = (isMet: boolean): string => (isMet ? 'met' : 'MISSED')
