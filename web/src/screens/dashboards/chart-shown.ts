/** What a chart shows of its answer: a drawing, figures, a table, or bars of statuses. */

import type { BarRow } from '#vocabulary/chart-marks'
import { type Drawing, type DrawingKind, type ShownTable, tableOf } from '#vocabulary/chart-drawing'
import { groupDrawing } from '#vocabulary/chart-groups'
import { hasAxis } from '#vocabulary/charts'
import type { Chart } from '../../api/data-model/dashboards'
import type { StatusSummary } from '../../api/records/aggregate'
import { csvLine } from '../../values/csv'
import { durationText, timeBefore } from '../../values/target-time'
import { chartOf } from '../sql/chart/chart'
import { cellText } from '../sql/result/cells'
import { measuresOf, namingOf } from './naming'
import type { ChartAnswer } from './read-chart'
import { LOCALE } from '../../language'

export type Shown =
  | {
      readonly kind: 'drawing'
      readonly drawing: Drawing
      readonly table: ShownTable
      readonly note?: string | undefined
    }
  | {
      readonly kind: 'bars'
      readonly bars: readonly BarRow[]
      readonly table: ShownTable
      readonly note?: string | undefined
    }
  | {
      readonly kind: 'figures'
      readonly figures: readonly { readonly name: string; readonly text: string }[]
      readonly table: ShownTable
    }
  | { readonly kind: 'table'; readonly table: ShownTable; readonly note?: string | undefined }
  | { readonly kind: 'nothing'; readonly text: string }

/** `noun` is the plural of what the source has. */
export function shownOf(chart: Chart, answer: ChartAnswer, noun: string): Shown {
  switch (answer.kind) {
    case 'missing':
      return { kind: 'nothing', text: "The object or list of this chart doesn't exist any more." }
    case 'statuses':
      return ofStatuses(chart, answer.statuses)
    case 'rows':
      return ofRows(chart, answer)
    case 'aggregates':
      return ofAggregates(chart, answer, noun)
  }
}

function ofAggregates(chart: Chart, answer: Extract<ChartAnswer, { kind: 'aggregates' }>, noun: string): Shown {
  const { aggregates, attributes } = answer
  const measures = measuresOf(chart, attributes, noun)
  if (chart.kind === 'figure') {
    const figures = measures.map(({ name, text }, index) => {
      const value = aggregates.aggregates[index]?.value ?? null
      return { name, text: value === null ? '–' : text(value) }
    })
    return {
      kind: 'figures',
      figures,
      table: { head: ['Measure', 'Value'], rows: figures.map(({ name, text }) => [name, text]) },
    }
  }
  const group = namingOf(chart.group_by, answer)
  if (group === undefined) {
    const rows = measures.map(({ name, text }, index) => [name, text(aggregates.aggregates[index]?.value ?? 0)])
    return { kind: 'table', table: { head: ['Measure', 'Value'], rows } }
  }
  const kind: DrawingKind = hasAxis(chart.kind) ? (chart.kind as DrawingKind) : 'bars' // the kinds with an axis are those of drawings
  const split = namingOf(chart.split_by, answer)
  const drawing = groupDrawing(aggregates, { kind, measures, group, split, words: WORDS })
  if (drawing.categories.length === 0) return { kind: 'nothing', text: `No ${noun} match.` }
  const table = tableOf(drawing)
  const isCut =
    aggregates.has_more_groups === true ||
    (group.step === undefined && (aggregates.groups?.length ?? 0) > drawing.categories.length)
  const note = isCut
    ? `Shows the ${drawing.categories.length} ${group.step === undefined ? 'largest' : 'latest'} groups`
    : undefined
  return hasAxis(chart.kind) ? { kind: 'drawing', drawing, table, note } : { kind: 'table', table, note }
}

const WORDS = { without: 'None', others: 'Others' }

function ofStatuses(chart: Chart, statuses: readonly StatusSummary[]): Shown {
  const shown = statuses.filter(({ status, reached }) => !status.is_archived || reached > 0)
  if (shown.length === 0) return { kind: 'nothing', text: 'The attribute has no statuses.' }
  return chart.kind === 'funnel' ? funnelOf(shown) : timesOf(shown)
}

const shares = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 0 })

function funnelOf(statuses: readonly StatusSummary[]): Shown {
  const first = statuses[0]?.reached ?? 0
  const shareOf = (reached: number) => (first > 0 ? shares.format(reached / first) : '')
  return {
    kind: 'bars',
    bars: statuses.map(({ status, reached }) => ({
      label: status.title,
      value: reached,
      text: `${reached}${first > 0 ? ` · ${shareOf(reached)}` : ''}`,
    })),
    table: {
      head: ['Status', 'Reached', 'Of the first', 'Now'],
      rows: statuses.map(({ status, reached, current }) => [
        status.title,
        String(reached),
        shareOf(reached),
        String(current),
      ]),
    },
  }
}

function timesOf(statuses: readonly StatusSummary[]): Shown {
  const now = Date.now()
  const targetOf = ({ status: { target_time_in_status: target } }: StatusSummary) => {
    const seconds = target === null ? Number.NaN : (now - timeBefore(now, target)) / 1000
    return Number.isNaN(seconds) ? undefined : seconds
  }
  const textOf = (seconds: number | null | undefined) => (typeof seconds === 'number' ? durationText(seconds) : '–')
  return {
    kind: 'bars',
    bars: statuses.map((one) => ({
      label: one.status.title,
      value: one.average_seconds ?? 0,
      text: `${textOf(one.average_seconds)}${one.over_target > 0 ? ` · ${one.over_target} over target` : ''}`,
      mark: targetOf(one),
      isAlert: (one.average_seconds ?? 0) > (targetOf(one) ?? Infinity),
    })),
    note: statuses.some((one) => targetOf(one) !== undefined)
      ? 'Average time; the dashed line is the target'
      : 'Average time',
    table: {
      head: ['Status', 'Average', 'Median', 'Target', 'Now', 'Over target'],
      rows: statuses.map((one) => [
        one.status.title,
        textOf(one.average_seconds),
        textOf(one.median_seconds),
        textOf(targetOf(one)),
        String(one.current),
        String(one.over_target),
      ]),
    },
  }
}

function ofRows(chart: Chart, { result }: Extract<ChartAnswer, { kind: 'rows' }>): Shown {
  const { columns, rows } = result
  const table: ShownTable = {
    head: columns.map(({ name }) => name),
    rows: rows.slice(0, MAX_ROWS).map((row) => columns.map(({ name, type }) => cellText(row[name], type))),
  }
  if (rows.length === 0) return { kind: 'nothing', text: 'The query has no rows.' }
  const note = rows.length > MAX_ROWS || result.truncated ? `Shows the first ${table.rows.length} rows` : undefined
  if (chart.kind === 'figure') {
    const [row = []] = table.rows
    return { kind: 'figures', figures: columns.map(({ name }, index) => ({ name, text: row[index] ?? '' })), table }
  }
  const drawing = hasAxis(chart.kind) ? chartOf(result) : undefined
  if (drawing === undefined) return { kind: 'table', table, note }
  return { kind: 'drawing', drawing: { ...drawing, kind: chart.kind as DrawingKind }, table: tableOf(drawing), note } // a kind with an axis
}

/** A table of a chart has no more rows. */
const MAX_ROWS = 200

/** The table as a CSV file. */
export const csvOf = ({ head, rows }: ShownTable): readonly string[] => [
  csvLine(head),
  ...rows.map((row) => csvLine(row)),
]
