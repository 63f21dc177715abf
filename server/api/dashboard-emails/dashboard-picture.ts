/**
 * Draws a dashboard as SVG, in the colors of the light theme of the console, and as a PNG file, in a thread: drawing takes some tenths of
 * a second, and holds memory that ends with the thread.
 */
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { PROGRAM_FOLDER } from '#db/program'
import { rightSeries } from '#vocabulary/chart-drawing'
import { horizontalBars, type Mark, marksOf } from '#vocabulary/chart-marks'
import { arranged, GRID_COLUMNS, GRID_GAP, ROW_HEIGHT } from '#vocabulary/charts'
import type { ChartContent } from './chart-content'

/** As in `web/src/design/tokens.css`, which a test compares. */
export const COLORS = {
  ground: '#ffffff',
  'ground-sunken': '#f9f9fa',
  line: '#e8e8ec',
  'line-strong': '#d5d6dc',
  ink: '#17181c',
  'ink-soft': '#565962',
  'ink-faint': '#666974',
  'series-1': '#3f51d6',
  'series-2': '#b4630f',
  'series-3': '#12703f',
  'series-4': '#a3336b',
  'series-5': '#0b6e86',
  'series-6': '#6b5b2a',
} as const

const seriesColor = (index: number): string => Object.values(COLORS)[7 + (index % 6)] ?? COLORS['series-1']

export interface Picture {
  readonly svg: string
  readonly width: number
  readonly height: number
}

const MARGIN = 16
const WIDTH = 960
const COLUMN = (WIDTH + GRID_GAP) / GRID_COLUMNS

export function drawDashboard(charts: readonly ChartContent[]): Picture {
  const placed = arranged(charts)
  const rows = Math.max(1, ...placed.map(({ place }) => place.row + place.height))
  const width = WIDTH + 2 * MARGIN
  const height = rows * (ROW_HEIGHT + GRID_GAP) - GRID_GAP + 2 * MARGIN
  const cards = placed.map((chart, index) => {
    const { column, row, width: columns, height: high } = chart.place
    const size = { width: columns * COLUMN - GRID_GAP, height: high * (ROW_HEIGHT + GRID_GAP) - GRID_GAP }
    const at = `translate(${MARGIN + column * COLUMN} ${MARGIN + row * (ROW_HEIGHT + GRID_GAP)})`
    return `<g transform="${at}">${card(chart, size, `c${index}`)}</g>`
  })
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="Inter">`,
    `<rect width="${width}" height="${height}" fill="${COLORS['ground-sunken']}"/>`,
    ...cards,
    '</svg>',
  ].join('')
  return { svg, width, height }
}

interface Size {
  readonly width: number
  readonly height: number
}

const PADDING = 12
const TITLE = 36
const NOTE = 18
const LEGEND = 20

/** `clip` names the area of the content, beyond which nothing is drawn. */
function card(chart: ChartContent, { width, height }: Size, clip: string): string {
  const noteHeight = chart.note === undefined ? 0 : NOTE
  const inner = { width: width - 2 * PADDING, height: Math.max(1, height - TITLE - PADDING - noteHeight) }
  return [
    `<clipPath id="${clip}"><rect width="${inner.width}" height="${inner.height}"/></clipPath>`,
    `<rect width="${width}" height="${height}" rx="10" fill="${COLORS.ground}" stroke="${COLORS.line}"/>`,
    text({ x: PADDING, y: 24, size: 14, color: COLORS.ink, isStrong: true }, fit(chart.title, inner.width, 14)),
    `<g transform="translate(${PADDING} ${TITLE})" clip-path="url(#${clip})">${content(chart, inner)}</g>`,
    ...(chart.note === undefined
      ? []
      : [
          text(
            { x: PADDING, y: height - PADDING, size: 11, color: COLORS['ink-faint'] },
            fit(chart.note, inner.width, 11),
          ),
        ]),
  ].join('')
}

function content(chart: ChartContent, size: Size): string {
  switch (chart.kind) {
    case 'drawing':
      return drawn(chart, size)
    case 'bars':
      return statusBars(chart, size)
    case 'figures':
      return figures(chart, size)
    case 'table':
      return table(chart, size)
    case 'nothing': {
      const middle = { x: size.width / 2, y: size.height / 2, size: 12, color: COLORS['ink-faint'], anchor: 'middle' }
      return text(middle, fit(chart.text, size.width, 12))
    }
  }
}

type Of<Kind extends ChartContent['kind']> = Extract<ChartContent, { readonly kind: Kind }>

function drawn({ drawing, tickText }: Of<'drawing'>, { width, height }: Size): string {
  const legendHeight = drawing.series.length > 1 ? LEGEND : 0
  const { axes, values } = marksOf(drawing, { width, height: Math.max(1, height - legendHeight) }, tickText)
  const marks = [...axes, ...values].map(svgOfMark).join('')
  return `${legendHeight > 0 ? legend(drawing, width) : ''}<g transform="translate(0 ${legendHeight})">${marks}</g>`
}

function legend(drawing: Of<'drawing'>['drawing'], width: number): string {
  const isRight = rightSeries(drawing)
  const each = width / drawing.series.length
  return drawing.series
    .map(({ name }, index) => {
      const label = `${name}${isRight[index] ? ' (right axis)' : ''}`
      return `<rect x="${index * each}" y="2" width="10" height="10" rx="2" fill="${seriesColor(index)}"/>${text(
        { x: index * each + 15, y: 11, size: 12, color: COLORS['ink-soft'] },
        fit(label, each - 20, 12),
      )}`
    })
    .join('')
}

function svgOfMark(mark: Mark): string {
  switch (mark.kind) {
    case 'line':
      return line({ ...mark, y1: mark.y, y2: mark.y }, `stroke="${mark.isZero ? COLORS['line-strong'] : COLORS.line}"`)
    case 'label':
      return text({ ...mark, y: mark.y + 4, size: 11, color: COLORS['ink-faint'] }, mark.text)
    case 'bar':
      return rect(mark, seriesColor(mark.series))
    case 'point':
      return `<circle cx="${mark.x}" cy="${mark.y}" r="3" fill="${seriesColor(mark.series)}"/>`
    case 'area':
      return `<path d="${mark.path}" fill="${seriesColor(mark.series)}" opacity="0.2"/>`
    case 'stroke':
      return `<path d="${mark.path}" fill="none" stroke="${seriesColor(mark.series)}" stroke-width="1.75" stroke-linejoin="round"/>`
  }
}

function statusBars({ bars }: Of<'bars'>, { width }: Size): string {
  return horizontalBars(bars, width)
    .bars.map((bar) => {
      const baseline = bar.middle + 4
      const mark =
        bar.markX === undefined
          ? ''
          : line(
              { x1: bar.markX, x2: bar.markX, y1: bar.markFrom, y2: bar.markTo },
              `stroke="${COLORS.ink}" stroke-width="2" stroke-dasharray="3 2"`,
            )
      return [
        text({ x: 0, y: baseline, size: 12, color: COLORS['ink-soft'] }, bar.label),
        rect(bar, seriesColor(bar.isAlert === true ? 1 : 0)),
        mark,
        text({ x: bar.textX, y: baseline, size: 12, color: COLORS.ink }, bar.text),
      ].join('')
    })
    .join('')
}

/** Side by side, as many as fit. */
function figures({ figures }: Of<'figures'>, { width, height }: Size): string {
  const each = width / Math.max(1, figures.length)
  const y = height / 2
  return figures
    .map(({ name, text: value }, index) => {
      const x = index * each
      return `${text({ x, y, size: 28, color: COLORS.ink, isStrong: true }, fit(value, each - 8, 28))}${text(
        { x, y: y + 20, size: 12, color: COLORS['ink-soft'] },
        fit(name, each - 8, 12),
      )}`
    })
    .join('')
}

const TABLE_ROW = 24

/** As many rows as fit; the first column has twice the width of the others. */
function table({ table: { head, rows } }: Of<'table'>, { width, height }: Size): string {
  const unit = width / (head.length + 1)
  const shown = rows.slice(0, Math.max(0, Math.floor(height / TABLE_ROW) - 1))
  const cells = (row: readonly string[], index: number, color: string, size: number) =>
    row
      .map((cell, column) => {
        const at = column === 0 ? { x: 0, anchor: 'start' } : { x: (column + 2) * unit, anchor: 'end' }
        const room = column === 0 ? 2 * unit : unit
        return text({ ...at, y: index * TABLE_ROW + 16, size, color }, fit(cell, room - 8, size))
      })
      .join('')
  const ruled = [head, ...shown].map((_, index) => {
    const y = (index + 1) * TABLE_ROW - 0.5
    return line({ x1: 0, x2: width, y1: y, y2: y }, `stroke="${COLORS.line}"`)
  })
  return [
    cells(head, 0, COLORS['ink-faint'], 11),
    ...shown.map((row, index) => cells(row, index + 1, COLORS.ink, 12)),
    ...ruled,
  ].join('')
}

/** The typeface has none. */
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji_Modifier}|\u200d|\ufe0f/gu

interface TextStyle {
  readonly x: number
  readonly y: number
  readonly size: number
  readonly color: string
  readonly anchor?: string
  /** The typeface has one weight, so a strong text is drawn with a border. */
  readonly isStrong?: boolean
}

function text({ x, y, size, color, anchor = 'start', isStrong = false }: TextStyle, content: string): string {
  const border = isStrong ? ` stroke="${color}" stroke-width="${size / 32}"` : ''
  return `<text x="${x}" y="${y}" font-size="${size}" fill="${color}" text-anchor="${anchor}"${border}>${escapeXml(content.replace(EMOJI, ''))}</text>`
}

interface Ends {
  readonly x1: number
  readonly x2: number
  readonly y1: number
  readonly y2: number
}

const line = ({ x1, x2, y1, y2 }: Ends, style: string): string =>
  `<line x1="${x1}" x2="${x2}" y1="${y1}" y2="${y2}" ${style}/>`

const rect = ({ x, y, width, height }: Size & { readonly x: number; readonly y: number }, color: string): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${color}"/>`

/** The part of a text that fits a width, by the average width of a letter. */
function fit(content: string, width: number, size: number): string {
  const letters = Math.max(1, Math.floor(width / (size * 0.56)))
  return content.length > letters ? `${content.slice(0, letters - 1)}…` : content
}

const ENTITIES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }

/** Characters that XML and HTML do not have are left out, such as controls and halves of a pair. */
export const escapeXml = (content: string): string =>
  content
    .toWellFormed()
    .replace(/[^\P{C}\n]/gu, '')
    .replace(/[<>&"]/g, (sign) => ENTITIES[sign] ?? sign)

/** What the thread gets at its start. */
export interface ThreadData {
  readonly programFolder: string
}

const TIMEOUT_MS = 120_000

export async function drawPng(picture: Picture): Promise<Uint8Array> {
  const workerData: ThreadData = { programFolder: PROGRAM_FOLDER }
  const thread = new Worker(join(PROGRAM_FOLDER, 'server/api/dashboard-emails/png-thread.ts'), { workerData })
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const timeout = setTimeout(() => reject(new Error('Drawing a dashboard took too long.')), TIMEOUT_MS)
  thread.once('message', resolve)
  thread.once('error', reject)
  thread.once('exit', () => reject(new Error('The thread that draws a dashboard ended.')))
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  thread.postMessage(picture)
  try {
    return await promise
  } finally {
    clearTimeout(timeout)
    await thread.terminate()
  }
}
