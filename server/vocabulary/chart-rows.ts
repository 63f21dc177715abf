/** Which chart a result has: categories or times of its first column, and a series for each numeric column after it. */

import { type Drawing, MAX_SERIES } from './chart-drawing'

interface Column {
  readonly name: string
  readonly type: string
}

type Row = Readonly<Record<string, unknown>>

/** How the cells of a result are written. */
interface CellTexts {
  readonly numberText: (value: number) => string
  readonly cellText: (value: unknown, type: string) => string
}

const MAX_BARS = 60
const MAX_POINTS = 1000

export interface ResultChart extends Drawing {
  /** Whether rows or columns of the result are left out. */
  readonly isPartial: boolean
}

/** Undefined for a result without a numeric column after the first, or with a single row. */
export function chartOfRows(
  { columns, rows }: { readonly columns: readonly Column[]; readonly rows: readonly Row[] },
  { numberText, cellText }: CellTexts,
): ResultChart | undefined {
  const [first, ...others] = columns
  if (first === undefined || rows.length < 2) return undefined
  const numeric = others.filter(({ name }) => isNumeric(rows, name))
  if (numeric.length === 0) return undefined
  const kind = isTime(first.type) ? 'lines' : 'bars'
  const shown = rows.slice(0, kind === 'lines' ? MAX_POINTS : MAX_BARS)
  return {
    kind,
    categoryName: first.name,
    categories: categoriesOf(shown, first, cellText),
    series: numeric
      .slice(0, MAX_SERIES)
      .map(({ name }) => ({ name, values: shown.map((row) => numberIn(row[name])), text: numberText })),
    isStacked: false,
    isPartial: shown.length < rows.length || numeric.length > MAX_SERIES,
  }
}

/** Times that are all at midnight in UTC, such as months, are shown as dates. */
function categoriesOf(rows: readonly Row[], { name, type }: Column, cellText: CellTexts['cellText']): string[] {
  const values = rows.map((row) => row[name])
  const areDates =
    isTime(type) && values.every((value) => value === null || String(value).includes('T00:00:00.000000000Z'))
  return values.map((value) => cellText(value, areDates ? 'date' : type))
}

const isTime = (type: string): boolean => /^(?:date|timestamp)/.test(type)

const numberIn = (value: unknown): number | null => (typeof value === 'number' ? value : null)

function isNumeric(rows: readonly Row[], name: string): boolean {
  const values = rows.map((row) => row[name]).filter((value) => value !== null)
  return values.length > 0 && values.every((value) => typeof value === 'number')
}
