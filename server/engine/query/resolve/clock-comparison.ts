/**
 * Turns comparisons with simple formulas of the clock around, into comparisons with the day that the formula names: `current_date - day >= 30`
 * holds for days at least 30 days before today. An index serves those. See docs/decisions/formulas.md.
 */

import { attributeType } from '#engine/attribute-types/registry'
import type { ColumnProperty, Operator } from '#engine/attribute-types/define'
import type { Attribute, ClockForm, DataModel } from '#engine/data-model/model'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import type { Comparison, ValueCondition } from './condition'

/** The condition on the day, or the same condition where the formula or a comparison has another form. */
export function turnAround(model: DataModel, condition: ValueCondition, now: Micros): ValueCondition {
  const form = condition.attribute.call?.form
  const attribute = form && model.attributesById.get(form.attribute)
  if (form === undefined || attribute === undefined) return condition
  const today = Temporal.Instant.from(timestampFromMicros(now)).toZonedDateTimeISO('UTC').toPlainDate()
  const turned = condition.comparisons.map((comparison) => turnComparison({ ...form, model, attribute, today }, comparison)) // prettier-ignore
  if (turned.includes(undefined)) return condition
  return { kind: 'value', attribute, comparisons: turned.flatMap((each) => each ?? []) }
}

interface Turn extends Pick<ClockForm, 'kind' | 'member' | 'isTime'> {
  readonly model: DataModel
  /** The attribute with the day. */
  readonly attribute: Attribute
  readonly today: Temporal.PlainDate
}

/** A comparison of the number that the formula gives with another number. */
interface Bound {
  readonly operator: Operator
  readonly number: number
  readonly today: Temporal.PlainDate
}

type DayBound = readonly [Operator, Temporal.PlainDate]

const BOUNDS = { 'days since': daysSince, 'days until': daysUntil, 'years since': yearsSince } as const
const OPERATORS = { '<': '$lt', '<=': '$lte', '>': '$gt', '>=': '$gte' } as const

/** No day is further from another one. Larger numbers would lead to days that PostgreSQL does not have. */
const MAX_DAYS = 9999 * 366

function turnComparison(turn: Turn, comparison: Comparison): Comparison[] | undefined {
  const { member, isTime, model, attribute } = turn
  if (comparison.kind === 'present') return [{ kind: 'present', property: null }]
  if (comparison.kind !== 'compare') return undefined
  const days = boundsOf(turn, comparison)
  const turned = isTime ? days?.flatMap(timesOf) : days
  if (turned === undefined || turned.some(([, { year }]) => year < 1 || year > 9999)) return undefined
  const property = attributeType(attribute.type).properties[member] as ColumnProperty // of a column of days or times
  return turned.map(([sign, day]) => {
    const operand = property.operand(isTime ? `${day.toString()}T00:00:00Z` : day.toString(), attribute, model, sign)
    return { kind: 'compare', property, operator: sign, operand }
  })
}

function boundsOf(
  { kind, today }: Turn,
  { operator, operand }: Extract<Comparison, { kind: 'compare' }>,
): readonly DayBound[] | undefined {
  switch (kind) {
    case 'days since':
    case 'days until':
    case 'years since':
      if (typeof operand !== 'number' || Math.abs(operand) > MAX_DAYS) return undefined
      return BOUNDS[kind]({ operator, number: operand, today })
    default:
      // A condition for false also finds entities without a day.
      return operand === true && operator === '$eq' ? [[OPERATORS[kind], today]] : undefined
  }
}

/** The comparisons of a time, with the beginnings of days, that are true when the one of its day is. */
function timesOf([operator, day]: DayBound): readonly DayBound[] {
  const next = day.add({ days: 1 })
  switch (operator) {
    case '$lte':
      return [['$lt', next]]
    case '$gt':
      return [['$gte', next]]
    case '$eq':
      return [
        ['$gte', day],
        ['$lt', next],
      ]
    default:
      return [[operator, day]]
  }
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
