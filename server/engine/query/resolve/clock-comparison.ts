/**
 * Turns comparisons with simple formulas of the clock around, into comparisons with the day that the formula names: `current_date - day >= 30`
 * holds for days at least 30 days before today. An index serves those. See docs/decisions/formulas.md.
 */

import { attributeType } from '#engine/attribute-types/registry'
import type { ColumnProperty, Operator } from '#engine/attribute-types/define'
import type { Attribute, DataModel } from '#engine/data-model/model'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import type { Comparison, ValueCondition } from './condition'

/** The condition on the day, or the same condition where the formula or a comparison has another form. */
export function turnAround(model: DataModel, condition: ValueCondition, now: Micros): ValueCondition {
  const { attribute, comparisons } = condition
  const form = attribute.stored_in === 'function' ? findForm(model, attribute) : undefined
  if (form === undefined) return condition
  const today = Temporal.Instant.from(timestampFromMicros(now)).toZonedDateTimeISO('UTC').toPlainDate()
  const turned = comparisons.map((comparison) => turnComparison(form, comparison, today))
  if (turned.includes(undefined)) return condition
  return { kind: 'value', attribute: form.day, comparisons: turned.flatMap((each) => each ?? []) }
}

interface Form {
  readonly day: Attribute
  readonly bounds: (bound: Bound) => readonly DayBound[] | undefined
}

/** A comparison of the number that the formula gives with another number. */
interface Bound {
  readonly operator: Operator
  readonly number: number
  readonly today: Temporal.PlainDate
}

type DayBound = readonly [Operator, Temporal.PlainDate]

const FORMS: readonly (readonly [RegExp, Form['bounds']])[] = [
  [/^current_date - \?$/, daysSince],
  [/^\? - current_date$/, daysUntil],
  [/^(?:extract ?\( ?year from age ?\( ?\? ?\) ?\)|date_part ?\( ?'year' ?, ?age ?\( ?\? ?\) ?\))$/, yearsSince],
]

function findForm(model: DataModel, { type, computed }: Attribute): Form | undefined {
  const parts = computed?.formula ?? []
  const text = parts.map((part) => (typeof part === 'string' ? part : '?')).join('')
  const [, bounds] = FORMS.find(([pattern]) => pattern.test(text.trim().replace(/\s+/g, ' ').toLowerCase())) ?? []
  const named = parts.find((part) => typeof part !== 'string')
  const day = named && model.attributesById.get(named.attribute)
  if (bounds === undefined || attributeType(type).formula?.hasAllNumbers !== true) return undefined
  if (day === undefined || day.stored_in === 'function' || attributeType(day.type).columns.value !== 'date')
    return undefined
  return { day, bounds }
}

/** No day is further from another one. Larger numbers would lead to days that PostgreSQL does not have. */
const MAX_DAYS = 9999 * 366

function turnComparison(
  { day, bounds }: Form,
  comparison: Comparison,
  today: Temporal.PlainDate,
): Comparison[] | undefined {
  if (comparison.kind === 'present') return [{ kind: 'present', property: null }]
  if (comparison.kind !== 'compare' || typeof comparison.operand !== 'number') return undefined
  const { operator, operand: number } = comparison
  if (Math.abs(number) > MAX_DAYS) return undefined
  const property = attributeType(day.type).properties.value as ColumnProperty // of a column of days
  const turned = bounds({ operator, number, today })
  if (turned === undefined || turned.some(([, { year }]) => year < 1 || year > 9999)) return undefined
  return turned.map(([sign, bound]) => ({ kind: 'compare', property, operator: sign, operand: bound.toString() }))
}

/** `today - day`, a whole number. */
function daysSince({ operator, number, today }: Bound): readonly DayBound[] | undefined {
  const before = (days: number) => today.subtract({ days })
  switch (operator) {
    case '$gte':
      return [['$lte', before(Math.ceil(number))]]
    case '$gt':
      return [['$lt', before(Math.floor(number))]]
    case '$lte':
      return [['$gte', before(Math.floor(number))]]
    case '$lt':
      return [['$gt', before(Math.ceil(number))]]
    case '$eq':
      return Number.isInteger(number) ? [['$eq', before(number)]] : undefined
    default:
      return undefined
  }
}

/** `day - today`, which is the negative of the days since then. */
function daysUntil({ operator, number, today }: Bound): readonly DayBound[] | undefined {
  return daysSince({ operator: OPPOSITE[operator] ?? operator, number: -number, today })
}

const OPPOSITE: Partial<Record<Operator, Operator>> = { $gte: '$lte', $gt: '$lt', $lte: '$gte', $lt: '$gt' }

/** The whole years of `age(day)`. They are 0 for all days from a year ago to a year ahead, so that only numbers from 1 are simple. */
function yearsSince({ operator, number, today }: Bound): readonly DayBound[] | undefined {
  const before = (years: number) => today.subtract({ years })
  const least = operator === '$gt' || operator === '$lte' ? Math.floor(number) + 1 : Math.ceil(number)
  if (least < 1 || least > 9998) return undefined
  switch (operator) {
    case '$gte':
    case '$gt':
      return [['$lte', before(least)]]
    case '$lt':
    case '$lte':
      return [['$gt', before(least)]]
    case '$eq':
      return Number.isInteger(number)
        ? [
            ['$lte', before(least)],
            ['$gt', before(least + 1)],
          ]
        : undefined
    default:
      return undefined
  }
}
