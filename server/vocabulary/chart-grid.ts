/** The grid of a dashboard. */

/** In columns and rows. */
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
