/** Durations and rates for people. `startedAt` is an instant of `performance.now`. */

export const elapsedSeconds = (startedAt: number): string => ((performance.now() - startedAt) / 1000).toFixed(1)

export const perSecond = (count: number, startedAt: number): number =>
  Math.round(count / Math.max((performance.now() - startedAt) / 1000, 0.001))
