/** The grid of a dashboard: where its charts are after one of them was moved, resized, added or removed. */

import { arranged, GRID_COLUMNS, type Place, type Placed, sharesColumns } from '#vocabulary/charts'

export const MIN_WIDTH = 2
const MIN_HEIGHT = 2
export const MAX_HEIGHT = 20

/** The charts after one of them got a place, which is limited to the grid. */
export function withPlace<T extends Placed>(charts: readonly T[], id: string, place: Place): readonly T[] {
  const limited = limit(place)
  return arranged(
    charts.map((chart) => (chart.id === id ? { ...chart, place: limited } : chart)),
    id,
  )
}

function limit({ column, row, width, height }: Place): Place {
  const limitedWidth = Math.min(GRID_COLUMNS, Math.max(MIN_WIDTH, width))
  return {
    column: Math.min(GRID_COLUMNS - limitedWidth, Math.max(0, column)),
    row: Math.max(0, row),
    width: limitedWidth,
    height: Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, height)),
  }
}

/** The first free place of a new chart. */
export function freePlace(charts: readonly Placed[], { width, height }: Pick<Place, 'width' | 'height'>): Place {
  const end = Math.max(0, ...charts.map(({ place }) => place.row + place.height))
  for (let row = 0; row < end; row += 1) {
    for (let column = 0; column + width <= GRID_COLUMNS; column += 1) {
      const place = { column, row, width, height }
      if (!charts.some((chart) => overlaps(chart.place, place))) return place
    }
  }
  return { column: 0, row: end, width, height }
}

const overlaps = (one: Place, other: Place): boolean =>
  sharesColumns(one, other) && one.row < other.row + other.height && other.row < one.row + one.height

/** What a pointer or a key changes of a chart. */
export type Grasp = 'place' | 'size'

/** The charts after one of them moved by a column, or changed places with the nearest one above or below. */
export function stepped<T extends Placed>(
  charts: readonly T[],
  id: string,
  across: number,
  down: number,
): readonly T[] {
  const place = charts.find((chart) => chart.id === id)?.place
  if (place === undefined) return charts
  const rows = charts.flatMap((chart) =>
    chart.id !== id && sharesColumns(chart.place, place) ? [chart.place.row] : [],
  )
  const above = Math.max(0, ...rows.filter((row) => row < place.row))
  const below = Math.min(...rows.filter((row) => row > place.row))
  const row = down < 0 ? above : down > 0 && Number.isFinite(below) ? below + 1 : place.row
  return withPlace(charts, id, { ...place, column: place.column + across, row })
}

/** The charts after one of them got some columns and rows more. */
export function resized<T extends Placed>(
  charts: readonly T[],
  id: string,
  across: number,
  down: number,
): readonly T[] {
  const place = charts.find((chart) => chart.id === id)?.place
  if (place === undefined) return charts
  return withPlace(charts, id, { ...place, width: place.width + across, height: place.height + down })
}
