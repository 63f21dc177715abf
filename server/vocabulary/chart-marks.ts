/** What the picture of a chart consists of: lines, labels, bars, areas and points, in pixels. */
import { type Drawing, type Layer, layersOf, rightSeries, type Scale, scalesOf } from './chart-drawing'

export type Mark =
  | { readonly kind: 'line'; readonly x1: number; readonly x2: number; readonly y: number; readonly isZero: boolean }
  | { readonly kind: 'label'; readonly x: number; readonly y: number; readonly anchor: Anchor; readonly text: string }
  | (Rectangle & { readonly kind: 'bar'; readonly series: number; readonly title: string })
  | { readonly kind: 'area' | 'stroke'; readonly series: number; readonly path: string }
  | { readonly kind: 'point'; readonly series: number; readonly x: number; readonly y: number; readonly title: string }

type Anchor = 'start' | 'middle' | 'end'

interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface Marks {
  /** The lines and labels. */
  readonly axes: readonly Mark[]
  /** The bars, or the lines with their areas and points. `series` is the position of a series, which decides its color. */
  readonly values: readonly Mark[]
}

/** `numberText` writes the numbers of the axes. */
export function marksOf(drawing: Drawing, size: Size, numberText: (value: number) => string): Marks {
  const scales = scalesOf(drawing)
  const ofSeries = rightSeries(drawing).map((isRight) => (isRight ? (scales.right ?? scales.left) : scales.left))
  const frame = new Frame(size, drawing.categories.length, scales.right !== undefined)
  return {
    axes: axisMarks(frame, drawing.categories, scales, numberText),
    values: drawing.kind === 'bars' ? barMarks(frame, drawing, ofSeries) : lineMarks(frame, drawing, ofSeries),
  }
}

function axisMarks(
  frame: Frame,
  categories: readonly string[],
  { left, right }: ReturnType<typeof scalesOf>,
  numberText: (value: number) => string,
): readonly Mark[] {
  const end = frame.left + frame.innerWidth
  const cut = (label: string) =>
    label.length > frame.labelLength ? `${label.slice(0, frame.labelLength - 1)}…` : label
  return [
    ...left.ticks.flatMap((tick): Mark[] => {
      const y = frame.y(tick, left)
      return [
        { kind: 'line', x1: frame.left, x2: end, y, isZero: tick === 0 },
        { kind: 'label', x: frame.left - 8, y, anchor: 'end', text: numberText(tick) },
      ]
    }),
    ...(right?.ticks ?? []).map((tick): Mark => {
      const y = frame.y(tick, right ?? left)
      return { kind: 'label', x: end + 8, y, anchor: 'start', text: numberText(tick) }
    }),
    ...categories.flatMap((label, index): Mark[] =>
      index % frame.labelStep === 0
        ? [{ kind: 'label', x: frame.x(index), y: frame.height - 12, anchor: 'middle', text: cut(label) }]
        : [],
    ),
  ]
}

const MAX_BAR_WIDTH = 40

/** A bar for each value; those of one category stand side by side, or on top of each other. */
function barMarks(frame: Frame, drawing: Drawing, scales: readonly Scale[]): readonly Mark[] {
  const beside = drawing.isStacked ? 1 : drawing.series.length
  const width = Math.max(1, Math.min(MAX_BAR_WIDTH, (frame.band * 0.72) / beside))
  return marksOfLayers(drawing, scales, (layer, scale, series) =>
    layer.flatMap((ends, category): Mark[] => {
      if (ends === null) return []
      const [from, to] = [frame.y(ends[0], scale), frame.y(ends[1], scale)]
      return [
        {
          kind: 'bar',
          series,
          x: frame.x(category) + ((drawing.isStacked ? 0 : series) - beside / 2) * width,
          y: Math.min(from, to),
          width: Math.max(1, width - 1),
          height: Math.abs(from - to),
          title: titleOf(drawing, series, category),
        },
      ]
    }),
  )
}

/** With more values, the points would cover the line. */
const MAX_POINTS = 100

/** A line for each series, and the area below it. A missing value interrupts its line. */
function lineMarks(frame: Frame, drawing: Drawing, scales: readonly Scale[]): readonly Mark[] {
  return marksOfLayers(drawing, scales, (layer, scale, series) => [
    ...(drawing.kind === 'areas' ? [{ kind: 'area', series, path: areaPath(layer, frame, scale) } as const] : []),
    { kind: 'stroke', series, path: linePath(layer, frame, scale) },
    ...(layer.length > MAX_POINTS ? [] : layer).flatMap((ends, category): Mark[] => {
      if (ends === null) return []
      const title = titleOf(drawing, series, category)
      return [{ kind: 'point', series, x: frame.x(category), y: frame.y(ends[1], scale), title }]
    }),
  ])
}

const marksOfLayers = (
  drawing: Drawing,
  scales: readonly Scale[],
  marks: (layer: Layer, scale: Scale, series: number) => readonly Mark[],
): readonly Mark[] =>
  layersOf(drawing).flatMap((layer, series) => {
    const scale = scales[series]
    return scale === undefined ? [] : marks(layer, scale, series)
  })

function titleOf({ categories, series }: Drawing, index: number, category: number): string {
  const one = series[index]
  return `${categories[category]}: ${one?.text(one.values[category] ?? 0)} (${one?.name})`
}

type Place = Pick<Frame, 'x' | 'y'>

/** The `d` of a path through the ends of a layer. A missing value interrupts it. */
export function linePath(layer: Layer, frame: Place, scale: Scale): string {
  const steps = layer.map((one, index) => {
    if (one === null) return ''
    const isStart = index === 0 || layer[index - 1] === null
    return `${isStart ? 'M' : 'L'}${point(index, one[1], frame, scale)}`
  })
  return steps.join('')
}

/** The `d` of the areas between the beginnings and the ends of a layer. */
export function areaPath(layer: Layer, frame: Place, scale: Scale): string {
  const paths: string[] = []
  for (let start = 0; start < layer.length; start += 1) {
    if (layer[start] === null) continue
    let end = start
    while (end + 1 < layer.length && layer[end + 1] !== null) end += 1
    const indexes = Array.from({ length: end - start + 1 }, (_, at) => start + at)
    const along = indexes.map((index) => point(index, layer[index]?.[1] ?? 0, frame, scale))
    const back = indexes.toReversed().map((index) => point(index, layer[index]?.[0] ?? 0, frame, scale))
    paths.push(`M${[...along, ...back].join('L')}Z`)
    start = end
  }
  return paths.join('')
}

const point = (index: number, value: number, frame: Place, scale: Scale): string =>
  `${frame.x(index).toFixed(1)} ${frame.y(value, scale).toFixed(1)}`

const MARGIN = { top: 8, right: 12, bottom: 28, left: 56 } as const
const LABEL_WIDTH = 88

interface Size {
  readonly width: number
  readonly height: number
}

/** The places of values and categories. */
class Frame {
  readonly height: number
  readonly left = MARGIN.left
  readonly top = MARGIN.top
  /** The width and height of the area inside of the axes. */
  readonly innerWidth: number
  readonly innerHeight: number
  readonly #count: number

  constructor({ width, height }: Size, count: number, hasRightAxis = false) {
    this.height = height
    this.innerWidth = Math.max(1, width - MARGIN.left - (hasRightAxis ? MARGIN.left : MARGIN.right))
    this.innerHeight = Math.max(1, height - MARGIN.top - MARGIN.bottom)
    this.#count = Math.max(1, count)
  }

  /** The width of one category. */
  get band(): number {
    return this.innerWidth / this.#count
  }

  /** The middle of a category. */
  x(index: number): number {
    return this.left + this.band * (index + 0.5)
  }

  y(value: number, { min, max }: Scale): number {
    return this.top + this.innerHeight * (1 - (value - min) / (max - min))
  }

  /** Labels of every category would overlap, so only every n-th one has its label. */
  get labelStep(): number {
    return Math.max(1, Math.ceil(LABEL_WIDTH / this.band))
  }

  /** How many characters of a label fit. */
  get labelLength(): number {
    return Math.max(4, Math.floor((this.band * this.labelStep) / 7))
  }
}

export interface BarRow {
  readonly label: string
  readonly value: number
  readonly text: string
  /** Another number on the same scale. */
  readonly mark?: number | undefined
  readonly isAlert?: boolean
}

const ROW = 30
const BAR = 18
const LETTER = 6.5

/** Where horizontal bars are, with a label before and a text behind each. */
export function horizontalBars(rows: readonly BarRow[], width: number) {
  const left = Math.min(width * 0.35, Math.max(...rows.map((row) => row.label.length * LETTER), 40) + 8)
  const textWidth = Math.max(...rows.map(({ text }) => text.length * LETTER), 20) + 12
  const available = Math.max(20, width - left - textWidth)
  /** Texts behind their bars would be on marks. */
  const hasMarks = rows.some(({ mark }) => mark !== undefined)
  const largest = Math.max(1e-9, ...rows.flatMap(({ value, mark = 0 }) => [value, mark]))
  const lengthOf = (value: number) => (available * value) / largest
  const letters = Math.max(3, Math.floor(left / LETTER))
  return {
    height: rows.length * ROW,
    bars: rows.map((row, index) => ({
      ...row,
      label: row.label.length > letters ? `${row.label.slice(0, letters - 1)}…` : row.label,
      title: `${row.label}: ${row.text}`,
      middle: index * ROW + ROW / 2,
      x: left,
      y: index * ROW + (ROW - BAR) / 2,
      width: Math.max(1, lengthOf(row.value)),
      height: BAR,
      markX: row.mark === undefined ? undefined : left + lengthOf(row.mark),
      markFrom: index * ROW + 2,
      markTo: (index + 1) * ROW - 2,
      textX: left + (hasMarks ? available : Math.max(1, lengthOf(row.value))) + 6,
    })),
  }
}
