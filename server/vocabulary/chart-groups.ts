/** Makes the drawing of a chart from the groups of an aggregate. */

import { type Drawing, type DrawingKind, MAX_SERIES, type Series } from './chart-drawing'
import type { PeriodUnit } from './relative-periods'

type GroupValue = Readonly<Record<string, unknown>> | null

interface Counted {
  readonly value: GroupValue
  readonly total: number
  readonly aggregate_values?: readonly (number | null)[]
}

/** A group of the answer to an aggregate. */
export interface Group extends Counted {
  readonly splits?: readonly Counted[]
}

/** An aggregate of the chart, with its name and how its values are written. */
export interface Measure {
  readonly function: string
  readonly name: string
  readonly text: (value: number) => string
}

/** How the values of groups are named. */
export interface Naming {
  readonly name: string
  /** Undefined for groups that are no periods. */
  readonly step: PeriodUnit | undefined
  readonly textOf: (value: NonNullable<GroupValue>) => string
  /** The position of an option. Undefined for groups of values without an order of their own, which begin with the largest. */
  readonly positionOf?: ((value: NonNullable<GroupValue>) => number) | undefined
}

interface Definition {
  readonly kind: DrawingKind
  readonly measures: readonly Measure[]
  readonly group: Naming
  /** Undefined for a chart without `split_by`. */
  readonly split: Naming | undefined
  readonly words: Words
}

/** The names of what has no value, and of the splits that are no series of their own. */
export interface Words {
  readonly without: string
  readonly others: string
}

/** More bars are not drawn. Periods are all drawn. */
const MAX_CATEGORIES = 30

/** Sums and counts of parts add up to those of the whole. */
const isAdditive = (fn: string): boolean => fn === 'count' || fn === 'sum' || fn === 'filled' || fn === 'empty'

export function groupDrawing({ groups = [] }: { readonly groups?: readonly Group[] }, definition: Definition): Drawing {
  const { kind, measures, group, split, words } = definition
  const shown =
    group.step === undefined ? inOrder(groups.slice(0, MAX_CATEGORIES), group) : withEmptyPeriods(groups, group.step)
  const [measure] = measures
  return {
    kind,
    categoryName: group.name,
    categories: shown.map(({ value }) => nameOf(value, group, words)),
    series:
      split && measure
        ? splitSeries(shown, { split, measure, words })
        : measures.map(({ name, text, function: fn }, index) => ({
            name,
            text,
            values: shown.map(({ aggregate_values = [] }) => aggregate_values[index] ?? (isAdditive(fn) ? 0 : null)),
          })),
    isStacked: split !== undefined && measure !== undefined && isAdditive(measure.function) && kind !== 'lines',
  }
}

/** Options in their order; what has none comes last. */
function inOrder<T extends { readonly value: GroupValue }>(groups: readonly T[], { positionOf }: Naming): readonly T[] {
  if (positionOf === undefined) return groups
  const position = ({ value }: T) => (value === null ? Infinity : positionOf(value))
  return groups.toSorted((one, other) => Math.sign(position(one) - position(other)) || 0)
}

/** Periods without records have no group. Records without a time are left out: they are at no place of the axis. */
function withEmptyPeriods(groups: readonly Group[], step: PeriodUnit): readonly Group[] {
  const byDay = new Map(groups.flatMap((group) => (group.value === null ? [] : [[dayOf(group.value), group] as const])))
  const days = [...byDay.keys()].toSorted()
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return []
  return periodsBetween(step, first, last).map(
    (day) => byDay.get(day) ?? { value: { value: day }, total: 0, aggregate_values: [] },
  )
}

/** The value of a group of periods has one member, the first day. */
export const dayOf = (value: NonNullable<GroupValue>): string => String(Object.values(value)[0])

const nameOf = (value: GroupValue, { textOf }: Naming, { without }: Words): string =>
  value === null ? without : textOf(value)

/** The largest splits are series of their own; the others are one together if their values add up, else they are left out. */
function splitSeries(
  groups: readonly Group[],
  { split, measure: { function: fn, text }, words }: { split: Naming; measure: Measure; words: Words },
): readonly Series[] {
  const totals = new Map<string, { readonly value: GroupValue; total: number }>()
  for (const { splits = [] } of groups) {
    for (const { value, total } of splits) {
      const key = JSON.stringify(value)
      const before = totals.get(key)
      if (before) before.total += total
      else totals.set(key, { value, total })
    }
  }
  const all = [...totals]
    .toSorted(([, one], [, other]) => other.total - one.total)
    .map(([key, { value }]) => ({ key, value }))
  const hasOthers = all.length > MAX_SERIES && isAdditive(fn)
  const own = all.slice(0, hasOthers ? MAX_SERIES - 1 : MAX_SERIES)
  const ordered = split.step === undefined ? inOrder(own, split) : own.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  const empty = isAdditive(fn) ? 0 : null
  const valueIn = ({ splits = [] }: Group, key: string) =>
    splits.find(({ value }) => JSON.stringify(value) === key)?.aggregate_values?.[0] ?? empty
  const series = ordered.map(({ key, value }) => ({
    name: nameOf(value, split, words),
    text,
    values: groups.map((group) => valueIn(group, key)),
  }))
  if (!hasOthers) return series
  const rest = all.slice(MAX_SERIES - 1)
  const sumIn = (group: Group) => rest.reduce((sum, { key }) => sum + (valueIn(group, key) ?? 0), 0)
  return [...series, { name: words.others, text, values: groups.map(sumIn) }]
}

/** More periods are not drawn. */
const MAX_PERIODS = 1000

/** The first days of all periods from the one that begins on `first` to the one that begins on `last`, in `YYYY-MM-DD`. */
export function periodsBetween(step: PeriodUnit, first: string, last: string): readonly string[] {
  const days: string[] = []
  for (let day = first; day <= last && days.length < MAX_PERIODS; day = nextPeriod(step, day)) days.push(day)
  return days
}

/** How a language writes the days, weeks and months of periods. */
export interface PeriodTexts {
  readonly dayText: (date: Date) => string
  /** Of the text of its first day. */
  readonly weekText: (day: string) => string
  readonly monthText: (date: Date) => string
}

/** The name of the period that begins on a day: "12 Jan 2026", "Week of 12 Jan 2026", "Jan 2026", "Q1 2026", "2026". */
export function periodText(step: PeriodUnit, day: string, { dayText, weekText, monthText }: PeriodTexts): string {
  const date = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(date.getTime())) return day
  switch (step) {
    case 'day':
      return dayText(date)
    case 'week':
      return weekText(dayText(date))
    case 'month':
      return monthText(date)
    case 'quarter':
      return `Q${Math.floor(date.getUTCMonth() / 3) + 1} ${date.getUTCFullYear()}`
    case 'year':
      return String(date.getUTCFullYear())
  }
}

function nextPeriod(step: PeriodUnit, day: string): string {
  const date = new Date(`${day}T00:00:00Z`)
  if (step === 'day' || step === 'week') date.setUTCDate(date.getUTCDate() + (step === 'day' ? 1 : 7))
  else date.setUTCMonth(date.getUTCMonth() + { month: 1, quarter: 3, year: 12 }[step])
  return date.toISOString().slice(0, 10)
}
