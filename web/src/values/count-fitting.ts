/** How many of several values fit in one line. */

const GAP = 4

/** The width of "+99". */
const MORE = 34

/** The number of values that fit with "+3" behind them if not all do. The first one is always shown. */
export function countFitting(valueWidths: readonly number[], available: number): number {
  const whole = valueWidths.reduce((sum, width) => sum + width + GAP, -GAP)
  if (whole <= available) return valueWidths.length
  let used = MORE
  const fitting = valueWidths.findIndex((width) => (used += width + GAP) > available)
  return Math.max(1, fitting)
}
