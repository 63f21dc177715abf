/** Computes what the charts of a dashboard show to one member. */

import { getList } from '#access/list-access/list-access'
import { getSavedQuery } from '#api/console/sql-queries/saved-queries'
import { JsonText } from '#api/http/response/answer'
import type { ChartOutput } from '#api/resources/dashboards/schemas'
import { runSql } from '#api/resources/sql/run-sql'
import type { SqlAnswer } from '#api/resources/sql/schemas'
import { ApiError } from '#base/errors/api-error'
import { isTransient } from '#base/errors/database'
import { timestampFromMicros } from '#base/timing/clock'
import type { ApiContext } from '#context'
import { getObject } from '#engine/data-model/find'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { aggregateEntities } from '#engine/query/aggregate/aggregate-entities'
import { isTimeAttribute } from '#engine/query/aggregate/resolve-aggregates'
import type { AggregateAnswer, GroupInput, StatusHistoryAnswer } from '#engine/query/aggregate/schemas'
import { summarizeStatusHistory } from '#engine/query/aggregate/status-history'
import { textsOfValues } from '#engine/query/export/csv'
import type { BarRow } from '#vocabulary/chart-marks'
import { type Drawing, type DrawingKind, type ShownTable, tableOf } from '#vocabulary/chart-drawing'
import { aggregateQuery, aggregatesOf, type DashboardFilters, filterOf } from '#vocabulary/chart-filters'
import { dayOf, groupDrawing, type Measure, type Naming, periodText } from '#vocabulary/chart-groups'
import { chartOfRows } from '#vocabulary/chart-rows'
import { hasAxis, isOfStatuses } from '#vocabulary/charts'
import { readMemberNames } from './store'
import type { EmailTexts } from './texts'

export interface Figure {
  readonly name: string
  readonly text: string
}

type Shown = { readonly note?: string } & (
  | {
      readonly kind: 'drawing'
      readonly drawing: Drawing
      readonly tickText: (value: number) => string
      readonly table: ShownTable
    }
  | { readonly kind: 'bars'; readonly bars: readonly BarRow[]; readonly table: ShownTable }
  | { readonly kind: 'figures'; readonly figures: readonly Figure[]; readonly table: ShownTable }
  | { readonly kind: 'table'; readonly table: ShownTable }
  | { readonly kind: 'nothing'; readonly text: string }
)

export type ChartContent = Pick<ChartOutput, 'id' | 'title' | 'place'> & Shown

export interface ContentOptions {
  readonly filters: DashboardFilters
  readonly timeZone: string
  readonly texts: EmailTexts
}

/** A chart that cannot be computed shows why. Throws errors that a retry may not meet. */
export async function computeChart(
  context: ApiContext,
  chart: ChartOutput,
  options: ContentOptions,
): Promise<ChartContent> {
  const { id, title, place } = chart
  try {
    return { id, title, place, ...(await retryOnConflict(context, (context) => shownOf(context, chart, options))) }
  } catch (error) {
    if (!(error instanceof ApiError) || isTransient(error)) throw error
    const text = error.status === 404 ? options.texts.words.gone : error.message
    return { id, title, place, kind: 'nothing', text }
  }
}

function shownOf(context: ApiContext, chart: ChartOutput, options: ContentOptions): Promise<Shown> {
  const { source } = chart
  if ('saved_query_id' in source) return ofRows(context, chart, source.saved_query_id, options)
  const entityType =
    'object' in source ? getObject(context.model, source.object) : getList(context, source.list, 'read-only')
  const read = isOfStatuses(chart.kind) ? ofStatuses : ofAggregates
  return read({ context, entityType, chart, ...options })
}

interface Reading extends ContentOptions {
  readonly context: ApiContext
  readonly entityType: EntityType
  readonly chart: ChartOutput
}

// Aggregates.

async function ofAggregates(reading: Reading): Promise<Shown> {
  const { context, entityType, chart, filters, timeZone, texts } = reading
  const { words } = texts
  const body = { ...aggregateQuery(chart, filters), time_zone: timeZone }
  const { data } = await aggregateEntities(context, entityType, body)
  const measures = aggregatesOf(chart).map((one) => measureOf(entityType, one, texts))
  const group = await namingOf(reading, chart.group_by, data.groups ?? [])
  if (chart.kind === 'figure' || group === undefined) {
    const figures = measures.map(({ name, text }, index) => {
      const value = data.aggregates[index]?.value ?? null
      return { name, text: value === null ? '–' : text(value) }
    })
    const table = { head: [words.measure, words.value], rows: figures.map(({ name, text }) => [name, text]) }
    return chart.kind === 'figure' ? { kind: 'figures', figures, table } : { kind: 'table', table }
  }
  const splits = (data.groups ?? []).flatMap((one) => one.splits ?? [])
  const split = await namingOf(reading, chart.split_by, splits)
  const kind: DrawingKind = hasAxis(chart.kind) ? (chart.kind as DrawingKind) : 'bars' // the kinds with an axis are those of drawings
  const drawing = groupDrawing(data, { kind, measures, group, split, words })
  const count = drawing.categories.length
  if (count === 0) return { kind: 'nothing', text: words.noMatch(nounOf(entityType, texts)) }
  const isPeriod = group.step !== undefined
  const isCut = data.has_more_groups === true || (!isPeriod && (data.groups ?? []).length > count)
  return {
    ...(hasAxis(chart.kind) ? { kind: 'drawing', drawing, tickText: texts.compactText } : { kind: 'table' }),
    table: tableOf(drawing),
    ...(isCut && { note: isPeriod ? words.latestGroups(count) : words.largestGroups(count) }),
  }
}

const nounOf = (entityType: EntityType, { words }: EmailTexts): string =>
  entityType.kind === 'list' ? words.entries : words.noun(entityType.plural_noun)

function measureOf(
  entityType: EntityType,
  { function: fn, attribute: id }: { readonly function: string; readonly attribute?: string },
  texts: EmailTexts,
): Measure {
  const { words, numberText } = texts
  const attribute = entityType.attributes.find((each) => each.id === id)
  if (attribute === undefined || fn === 'count')
    return { function: fn, name: words.numberOf(nounOf(entityType, texts)), text: numberText }
  const name = words.functions[fn]
  if (name === undefined) return { function: fn, name: `${attribute.title}: ${fn}`, text: numberText }
  const { currency } = attribute.config
  const text = (value: number) => {
    const rounded = fn === 'average' ? Number(value.toFixed(2)) : value
    return currency === undefined ? numberText(rounded) : texts.moneyText(rounded, currency.default_currency_code)
  }
  return { function: fn, name: words.of(name, attribute.title), text }
}

type Groups = readonly { readonly value: NonNullable<AggregateAnswer['data']['groups']>[number]['value'] }[]

/** Reads the names of the groups. Undefined without groups. */
async function namingOf(
  { context, entityType, texts: { periods } }: Reading,
  group: GroupInput | undefined,
  groups: Groups,
): Promise<Naming | undefined> {
  if (group === undefined) return undefined
  const { attribute: id, step: asked } = typeof group === 'string' ? { attribute: group } : group
  const attribute = entityType.attributes.find((each) => each.id === id)
  if (attribute === undefined) return undefined
  if (isTimeAttribute(attribute)) {
    const step = asked ?? 'day'
    return { name: attribute.title, step, textOf: (value) => periodText(step, dayOf(value), periods) }
  }
  const values = groups.flatMap(({ value }) => (value === null ? [] : [value]))
  const members = values.flatMap(({ referenced_actor_id: id }) => (typeof id === 'string' ? [id] : []))
  const names = await readMemberNames(context.db, context.model.workspace.id, members)
  const texts = await textsOfValues(context, entityType, attribute, { values, nameOf: (id) => names.get(id) })
  const textByValue = new Map(values.map((value, index) => [JSON.stringify(value), texts[index] ?? '']))
  return {
    name: attribute.title,
    step: undefined,
    textOf: (value) => textByValue.get(JSON.stringify(value)) ?? '',
    positionOf: attribute.options.length === 0 ? undefined : (value) => positionOfOption(attribute, value),
  }
}

/** A value of an option has the option with its ids, one of which is its own. */
const positionOfOption = ({ options }: Attribute, value: Readonly<Record<string, unknown>>): number => {
  const text = JSON.stringify(value)
  return options.findIndex(({ id }) => text.includes(id))
}

// Statuses.

type Status = StatusHistoryAnswer['data']['statuses'][number]

async function ofStatuses({ context, entityType, chart, filters, timeZone, texts }: Reading): Promise<Shown> {
  const body = { attribute: chart.attribute ?? '', filter: filterOf(chart, filters), time_zone: timeZone }
  const { data } = await summarizeStatusHistory(context, entityType, body)
  const statuses = data.statuses.filter(({ status, reached }) => !status.is_archived || reached > 0)
  if (statuses.length === 0) return { kind: 'nothing', text: texts.words.noStatuses }
  return chart.kind === 'funnel' ? funnelOf(statuses, texts) : timesOf(statuses, context.now(), texts)
}

function funnelOf(statuses: readonly Status[], { words, numberText, shareText }: EmailTexts): Shown {
  const first = statuses[0]?.reached ?? 0
  const shareOf = (reached: number) => (first > 0 ? shareText(reached / first) : '')
  return {
    kind: 'bars',
    bars: statuses.map(({ status, reached }) => ({
      label: status.title,
      value: reached,
      text: [numberText(reached), shareOf(reached)].filter(Boolean).join(' · '),
    })),
    table: {
      head: [words.status, words.reached, words.ofTheFirst, words.now],
      rows: statuses.map(({ status, reached, current }) => [
        status.title,
        numberText(reached),
        shareOf(reached),
        numberText(current),
      ]),
    },
  }
}

function timesOf(statuses: readonly Status[], now: number, { words, numberText, durationText }: EmailTexts): Shown {
  const rows = statuses.map((one) => ({ ...one, target: targetSeconds(one, now) }))
  return {
    kind: 'bars',
    bars: rows.map(({ status, average_seconds, over_target, target }) => ({
      label: status.title,
      value: average_seconds ?? 0,
      text: `${durationText(average_seconds)}${over_target > 0 ? words.countOverTarget(over_target) : ''}`,
      mark: target ?? undefined,
      isAlert: target !== null && (average_seconds ?? 0) > target,
    })),
    note: rows.some(({ target }) => target !== null) ? words.averageTimeAndTarget : words.averageTime,
    table: {
      head: [words.status, words.average, words.median, words.target, words.now, words.overTarget],
      rows: rows.map(({ status, average_seconds, median_seconds, target, current, over_target }) => [
        status.title,
        durationText(average_seconds),
        durationText(median_seconds),
        durationText(target),
        numberText(current),
        numberText(over_target),
      ]),
    },
  }
}

/** Null without a target, and for one beyond the range of times. */
function targetSeconds({ status: { target_time_in_status: target } }: Status, now: number): number | null {
  if (target === null) return null
  try {
    const relativeTo = Temporal.Instant.from(timestampFromMicros(now)).toZonedDateTimeISO('UTC')
    return Temporal.Duration.from(target).total({ unit: 'seconds', relativeTo })
  } catch {
    return null // RangeError
  }
}

// Saved queries.

/** The most rows of a query that are read, and so the most points of a line. */
const MAX_ROWS = 1000
/** The most rows in the table of a chart. */
const MAX_TABLE_ROWS = 200

async function ofRows(
  context: ApiContext,
  chart: ChartOutput,
  queryId: string,
  { timeZone, texts }: ContentOptions,
): Promise<Shown> {
  const { words, numberText } = texts
  const { sql } = await getSavedQuery(context, { workspaceId: context.model.workspace.id }, queryId)
  const answer = await runSql(context, { sql, accept: null, maxRows: MAX_ROWS })
  if (!(answer instanceof JsonText)) throw new Error('An answer in JSON is a text.')
  const { data }: SqlAnswer = JSON.parse(answer.text)
  const { rows, columns, truncated } = data
  if (rows.length === 0) return { kind: 'nothing', text: words.noRows }
  const cellText = texts.cellTextIn(timeZone)
  const table = {
    head: columns.map(({ name }) => name),
    rows: rows.slice(0, MAX_TABLE_ROWS).map((row) => columns.map(({ name, type }) => cellText(row[name], type))),
  }
  const isCut = truncated || rows.length > MAX_TABLE_ROWS
  const note = isCut ? { note: words.firstRows(table.rows.length) } : {}
  if (chart.kind === 'figure') {
    const figures = columns.map(({ name }, index) => ({ name, text: table.rows[0]?.[index] ?? '' }))
    return { kind: 'figures', figures, table }
  }
  const drawing = hasAxis(chart.kind) ? chartOfRows(data, { numberText, cellText }) : undefined
  if (drawing === undefined) return { kind: 'table', table, ...note }
  const kind = chart.kind as DrawingKind // a kind with an axis
  return {
    kind: 'drawing',
    drawing: { ...drawing, kind },
    tickText: texts.compactText,
    table: tableOf(drawing),
    ...note,
  }
}
