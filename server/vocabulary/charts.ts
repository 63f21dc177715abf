/** The kinds of charts and the grid of dashboards. See docs/reference/dashboards.md. */

export const CHART_KINDS = ['bars', 'lines', 'areas', 'figure', 'table', 'funnel', 'time_in_status'] as const
export type ChartKind = (typeof CHART_KINDS)[number]

/** These kinds show the history of a status attribute. */
export const isOfStatuses = (kind: ChartKind): boolean => kind === 'funnel' || kind === 'time_in_status'

/** These kinds show groups along an axis. */
export const hasAxis = (kind: ChartKind): boolean => kind === 'bars' || kind === 'lines' || kind === 'areas'

export const GRID_COLUMNS = 12
export const MAX_CHARTS = 50

/** A place in the grid, in columns and rows. */
export interface Place {
  readonly column: number
  readonly row: number
  readonly width: number
  readonly height: number
}

export interface Placed {
  readonly id: string
  readonly place: Place
}

/** The pixels of a row, and between two charts. */
export const ROW_HEIGHT = 64
export const GRID_GAP = 12

/** Moves up every chart as far as the charts before it allow. The chart `first` keeps its place before others that want it. */
export function arranged<T extends Placed>(charts: readonly T[], first?: string): readonly T[] {
  const isBefore = (one: Placed, other: Placed) =>
    one.place.row - other.place.row ||
    Number(other.id === first) - Number(one.id === first) ||
    one.place.column - other.place.column
  const done: T[] = []
  for (const chart of charts.toSorted(isBefore)) {
    const others = done.filter(({ place }) => sharesColumns(place, chart.place))
    const row = Math.max(0, ...others.map(({ place }) => place.row + place.height))
    done.push({ ...chart, place: { ...chart.place, row } })
  }
  return done
}

export const sharesColumns = (one: Place, other: Place): boolean =>
  one.column < other.column + other.width && other.column < one.column + one.width
