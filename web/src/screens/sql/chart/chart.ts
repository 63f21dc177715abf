/** Which chart a result has: categories or times of its first column, and a series for each numeric column after it. */

import type { SqlColumn, SqlResult, SqlRow } from '../../../api/sql/sql'
import { cellText } from '../result/cells'

const MAX_SERIES = 4
const MAX_BARS = 60
const MAX_POINTS = 1000

export type ChartKind = 'bar' | 'line'

export interface Series {
  readonly name: string
  readonly values: readonly (number | null)[]
}

export interface ChartData {
  readonly kind: ChartKind
  readonly categoryName: string
  readonly categories: readonly string[]
  readonly series: readonly Series[]
  /** Whether rows or columns of the result are left out. */
  readonly isPartial: boolean
}

/** Undefined for a result without a numeric column after the first, or with a single row. */
export function chartOf({ columns, rows }: SqlResult): ChartData | undefined {
  const [first, ...others] = columns
  if (first === undefined || rows.length < 2) return undefined
  const numeric = others.filter(({ name }) => isNumeric(rows, name))
  if (numeric.length === 0) return undefined
  const kind = isTime(first.type) ? 'line' : 'bar'
  const shown = rows.slice(0, kind === 'line' ? MAX_POINTS : MAX_BARS)
  return {
    kind,
    categoryName: first.name,
    categories: categoriesOf(shown, first),
    series: numeric.slice(0, MAX_SERIES).map(({ name }) => ({ name, values: shown.map((row) => numberIn(row[name])) })),
    isPartial: shown.length < rows.length || numeric.length > MAX_SERIES,
  }
}

/** Times that are all at midnight in UTC, such as months, are shown as dates. */
function categoriesOf(rows: readonly SqlRow[], { name, type }: SqlColumn): string[] {
  const values = rows.map((row) => row[name])
  const areDates =
    isTime(type) && values.every((value) => value === null || String(value).includes('T00:00:00.000000000Z'))
  return values.map((value) => cellText(value, areDates ? 'date' : type))
}

const isTime = (type: string): boolean => /^(?:date|timestamp)/.test(type)

const numberIn = (value: unknown): number | null => (typeof value === 'number' ? value : null)

function isNumeric(rows: readonly SqlRow[], name: string): boolean {
  const values = rows.map((row) => row[name]).filter((value) => value !== null)
  return values.length > 0 && values.every((value) => typeof value === 'number')
}

export interface Scale {
  readonly min: number
  readonly max: number
  /** The values of the lines, from the lowest to the highest. */
  readonly ticks: readonly number[]
}

/** Includes zero. The steps between the lines are 1, 2 or 5 times a power of ten. */
export function scaleOf(values: readonly (number | null)[]): Scale {
  const numbers = values.filter((value) => value !== null)
  const low = numbers.reduce((lowest, value) => Math.min(lowest, value), 0)
  const highest = numbers.reduce((highest, value) => Math.max(highest, value), 0)
  const high = highest === low ? low + 1 : highest // a chart of zeros
  const span = high - low
  const rough = 10 ** Math.floor(Math.log10(span / 4))
  const step = [1, 2, 5, 10].map((factor) => factor * rough).find((size) => span / size <= 5) ?? rough * 10
  const [first, last] = [Math.floor(low / step), Math.ceil(high / step)]
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)))
  return { min: ticks[0] ?? 0, max: ticks.at(-1) ?? 1, ticks }
}
