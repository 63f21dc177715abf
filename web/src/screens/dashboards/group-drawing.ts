/** Makes the drawing of a chart from the groups of an aggregate. */

import type { PeriodUnit } from '#vocabulary/relative-periods'
import { type Drawing, type DrawingKind, MAX_SERIES, type Series } from '../../charts/drawing'
import type { AggregateFunction, Aggregates } from '../../api/records/aggregate'
import { periodName, periodsBetween } from './periods'

type Group = NonNullable<Aggregates['groups']>[number]
type GroupValue = Group['value']

/** An aggregate of the chart, with its name and how its values are written. */
export interface Measure {
  readonly function: AggregateFunction
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
}

/** More bars are not drawn. Periods are all drawn. */
const MAX_CATEGORIES = 30
const WITHOUT = 'None'
const OTHERS = 'Others'

/** Sums and counts of parts add up to those of the whole. */
const isAdditive = (fn: AggregateFunction): boolean =>
  fn === 'count' || fn === 'sum' || fn === 'filled' || fn === 'empty'

export function groupDrawing({ groups = [] }: Pick<Aggregates, 'groups'>, definition: Definition): Drawing {
  const { kind, measures, group, split } = definition
  const shown =
    group.step === undefined ? inOrder(groups.slice(0, MAX_CATEGORIES), group) : withEmptyPeriods(groups, group.step)
  const [measure] = measures
  return {
    kind,
    categoryName: group.name,
    categories: shown.map(({ value }) => nameOf(value, group)),
    series:
      split && measure
        ? splitSeries(shown, split, measure)
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
const dayOf = (value: NonNullable<GroupValue>): string => String(Object.values(value)[0])

function nameOf(value: GroupValue, { step, textOf }: Naming): string {
  if (value === null) return WITHOUT
  return step === undefined ? textOf(value) : periodName(step, dayOf(value))
}

/** The largest splits are series of their own; the others are one together if their values add up, else they are left out. */
function splitSeries(groups: readonly Group[], split: Naming, { function: fn, text }: Measure): readonly Series[] {
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
    name: nameOf(value, split),
    text,
    values: groups.map((group) => valueIn(group, key)),
  }))
  if (!hasOthers) return series
  const rest = all.slice(MAX_SERIES - 1)
  const sumIn = (group: Group) => rest.reduce((sum, { key }) => sum + (valueIn(group, key) ?? 0), 0)
  return [...series, { name: OTHERS, text, values: groups.map(sumIn) }]
}
