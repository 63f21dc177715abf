import type { Frame } from './frame'

/** The `d` of a path through values. A missing value interrupts it. */
export function linePath(values: readonly (number | null)[], frame: Pick<Frame, 'x' | 'y'>): string {
  const steps = values.map((value, index) => {
    if (value === null) return ''
    const isStart = index === 0 || values[index - 1] === null
    return `${isStart ? 'M' : 'L'}${frame.x(index).toFixed(1)} ${frame.y(value).toFixed(1)}`
  })
  return steps.join('')
}
