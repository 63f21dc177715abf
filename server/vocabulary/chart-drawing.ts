/** What a chart draws: categories along one axis, and series of numbers along one or two others. */

export type DrawingKind = 'bars' | 'lines' | 'areas'

export interface Series {
  readonly name: string
  readonly values: readonly (number | null)[]
  /** A number of the series as text. */
  readonly text: (value: number) => string
}

export interface Drawing {
  readonly kind: DrawingKind
  readonly categoryName: string
  readonly categories: readonly string[]
  readonly series: readonly Series[]
  /** Whether the series are parts of a whole, which are drawn on top of each other. */
  readonly isStacked: boolean
}

/** The numbers of a chart. */
export interface ShownTable {
  readonly head: readonly string[]
  /** The first cell of a row is its name. */
  readonly rows: readonly (readonly string[])[]
}

/** The number of series that have a color of their own. */
export const MAX_SERIES = 6

export interface Scale {
  readonly min: number
  readonly max: number
  /** The values of the lines, from the lowest to the highest. */
  readonly ticks: readonly number[]
}

/** Includes zero. The steps between the lines are 1, 2 or 5 times a power of ten, and at least 1 between integers, such as counts. */
export function scaleOf(values: readonly (number | null)[]): Scale {
  const numbers = values.filter((value) => value !== null)
  const low = numbers.reduce((lowest, value) => Math.min(lowest, value), 0)
  const highest = numbers.reduce((highest, value) => Math.max(highest, value), 0)
  const high = highest === low ? low + 1 : highest // a chart of zeros
  const span = high - low
  const rough = 10 ** Math.floor(Math.log10(span / 4))
  const steps = [1, 2, 5, 10].map((factor) => factor * rough)
  const least = numbers.every(Number.isInteger) ? 1 : 0
  const step = steps.find((size) => span / size <= 5 && size >= least) ?? rough * 10
  const [first, last] = [Math.floor(low / step), Math.ceil(high / step)]
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)))
  return { min: ticks[0] ?? 0, max: ticks.at(-1) ?? 1, ticks }
}

/** A layer is what a series covers at each category: from one number to another, or nothing. */
export type Layer = readonly (readonly [from: number, to: number] | null)[]

/** Stacked numbers begin where those before end; negative ones go down. */
export function layersOf({ series, categories, isStacked }: Drawing): readonly Layer[] {
  const tops = categories.map(() => 0)
  const bottoms = categories.map(() => 0)
  return series.map(({ values }) =>
    categories.map((_, index) => {
      const value = values[index] ?? null
      if (value === null) return null
      if (!isStacked) return [0, value]
      const ends = value < 0 ? bottoms : tops
      const from = ends[index] ?? 0
      ends[index] = from + value
      return [from, from + value]
    }),
  )
}

/** Series beyond this factor of the first one have an axis of their own. */
const OTHER_MAGNITUDE = 10

/** Whether each series is measured by the axis on the right, because its numbers are much larger or smaller than those of the first. */
export function rightSeries({ series, isStacked }: Drawing): readonly boolean[] {
  const largest = series.map(({ values }) =>
    values.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), 0),
  )
  const [first = 0] = largest
  if (isStacked || first === 0) return series.map(() => false)
  return largest.map((most) => most > 0 && (most > first * OTHER_MAGNITUDE || most < first / OTHER_MAGNITUDE))
}

/** The scale of the left axis, and that of the right one, if a series has it. */
export function scalesOf(drawing: Drawing): { readonly left: Scale; readonly right: Scale | undefined } {
  const isRight = rightSeries(drawing)
  const layers = layersOf(drawing)
  const ends = (of: boolean) =>
    layers.flatMap((layer, index) => (isRight[index] === of ? layer.flatMap((one) => one ?? []) : []))
  return { left: scaleOf(ends(false)), right: isRight.includes(true) ? scaleOf(ends(true)) : undefined }
}

export const tableOf = ({ categoryName, categories, series }: Drawing): ShownTable => ({
  head: [categoryName, ...series.map(({ name }) => name)],
  rows: categories.map((category, index) => [
    category,
    ...series.map(({ values, text }) => {
      const value = values[index]
      return typeof value === 'number' ? text(value) : ''
    }),
  ]),
})
