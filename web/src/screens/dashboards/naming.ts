/** The names of measures and groups of a chart, and how their values are written. */

import { aggregatesOf } from '#vocabulary/chart-filters'
import { dayOf, type Measure, type Naming } from '#vocabulary/chart-groups'
import type { Attribute } from '../../api/data-model/attributes'
import type { Chart } from '../../api/data-model/dashboards'
import type { AggregateFunction } from '../../api/records/aggregate'
import type { Value } from '../../api/records/entities'
import { numberText, roundedText } from '../../values/formats'
import { optionKindOf } from '../../values/options.svelte'
import { optionIn } from '../../values/parts/option'
import { valueTypeOf } from '../../values/registry'
import { periodName } from './periods'
import type { ChartAnswer } from './read-chart'

type GroupInput = NonNullable<Chart['group_by']>

/** The attribute that a chart names by its id or slug. */
export function attributeNamed(attributes: readonly Attribute[], group: GroupInput): Attribute | undefined {
  const name = typeof group === 'string' ? group : group.attribute
  return attributes.find(({ id, api_slug }) => id.attribute_id === name || api_slug === name)
}

export const FUNCTIONS: Readonly<Record<AggregateFunction, string>> = {
  count: 'Number',
  sum: 'Sum',
  average: 'Average',
  min: 'Smallest',
  max: 'Largest',
  filled: 'Filled',
  empty: 'Empty',
}

/** These functions need an attribute of numbers. */
export const OF_NUMBERS: readonly AggregateFunction[] = ['sum', 'average', 'min', 'max']

/** `noun` is the plural of what is counted. */
export const measuresOf = (chart: Chart, attributes: readonly Attribute[], noun: string): readonly Measure[] =>
  aggregatesOf(chart).map(({ function: fn, attribute: name }) => {
    const attribute = name === undefined ? undefined : attributeNamed(attributes, name)
    if (attribute === undefined || fn === 'count') return { function: fn, name: `Number of ${noun}`, text: numberText }
    const title = `${FUNCTIONS[fn]} of ${attribute.title}`
    if (!OF_NUMBERS.includes(fn)) return { function: fn, name: `${attribute.title}: ${fn}`, text: numberText }
    const { amountText } = valueTypeOf(attribute)
    const text = (value: number) =>
      amountText?.(fn === 'average' ? rounded(value) : value, attribute) ?? roundedText(value)
    return { function: fn, name: title, text }
  })

/** An average of amounts has cents at most. */
const rounded = (value: number): number => Number(value.toFixed(2))

/** Undefined when the attribute was deleted. */
export function namingOf(
  group: GroupInput | undefined,
  { attributes, options }: Pick<Extract<ChartAnswer, { kind: 'aggregates' }>, 'attributes' | 'options'>,
): Naming | undefined {
  const attribute = group === undefined ? undefined : attributeNamed(attributes, group)
  if (attribute === undefined) return undefined
  const { text, groups } = valueTypeOf(attribute)
  const step = groups === 'periods' ? ((typeof group === 'object' ? group.step : undefined) ?? 'day') : undefined
  return {
    name: attribute.title,
    step,
    textOf: (value) =>
      step === undefined ? text(asValue(value, attribute), attribute) : periodName(step, dayOf(value)),
    positionOf:
      optionKindOf(attribute) === undefined
        ? undefined
        : ({ option, status }) => options.indexOf(optionIn(option ?? status).id),
  }
}

const asValue = (members: Readonly<Record<string, unknown>>, { type }: Attribute): Value => ({
  active_from: '',
  active_until: null,
  created_by_actor: { type: null, id: null },
  attribute_type: type,
  ...members,
})
