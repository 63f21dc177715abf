/** Which total each column shows. This browser stores the choices. */

import type { AggregateFunction } from '../../../../api/records/aggregate'
import type { Attribute } from '../../../../api/data-model/attributes'
import { isReferencedSlug } from '../../../../api/records/referenced-values'
import { numberText } from '../../../../values/formats'
import { valueTypeOf } from '../../../../values/registry'

const FUNCTIONS: readonly AggregateFunction[] = ['count', 'filled', 'empty', 'sum', 'average', 'min', 'max']
/** Their values are numbers of rows; those of the others are amounts of the attribute. */
export const COUNTS: readonly AggregateFunction[] = ['count', 'filled', 'empty']

export const TOTAL_LABELS: Readonly<Record<AggregateFunction, string>> = {
  count: 'Count',
  filled: 'Filled',
  empty: 'Empty',
  sum: 'Sum',
  average: 'Average',
  min: 'Min',
  max: 'Max',
}

type Choices = Readonly<Record<string, AggregateFunction>>

/** A column with the total it shows. */
export interface ChosenTotal {
  readonly attribute: Attribute
  readonly choice: AggregateFunction
}

export class TotalChoices {
  readonly #key: string
  /** By the id of the attribute. */
  choices = $state.raw<Choices>({})

  /** `key` names the stored choices. */
  constructor(key: string) {
    this.#key = key
    this.choices = readChoices(localStorage.getItem(key))
  }

  choose({ id }: Attribute, choice: AggregateFunction | undefined): void {
    const { [id.attribute_id]: _before, ...others } = this.choices
    this.choices = choice === undefined ? others : { ...others, [id.attribute_id]: choice }
    localStorage.setItem(this.#key, JSON.stringify(this.choices))
  }

  /** The totals of these columns that are chosen. */
  of(columns: readonly Attribute[]): readonly ChosenTotal[] {
    return columns.flatMap((attribute) => {
      const choice = this.choices[attribute.id.attribute_id]
      return choice === undefined ? [] : [{ attribute, choice }]
    })
  }

  /** The totals of groups: those that are chosen, or else the sum of the first amount of money. */
  ofGroups(columns: readonly Attribute[]): readonly ChosenTotal[] {
    const chosen = this.of(columns).filter(({ choice }) => choice !== 'count')
    // A referenced record counts once for each row, so its amounts are only summed on request.
    const money = columns.find((one) => valueTypeOf(one).hasCurrency === true && !isReferencedSlug(one.api_slug))
    return chosen.length === 0 && money !== undefined ? [{ attribute: money, choice: 'sum' }] : chosen
  }
}

/** A total in the form of the values of its attribute. */
export function totalText({ attribute, choice }: ChosenTotal, value: number | null): string {
  if (value === null) return '–'
  const { amountText } = valueTypeOf(attribute)
  return COUNTS.includes(choice) ? numberText(value) : (amountText?.(value, attribute) ?? numberText(value))
}

/** Storage that another version wrote may have anything. */
function readChoices(text: string | null): Choices {
  try {
    const stored: unknown = JSON.parse(text ?? '{}')
    const entries = typeof stored === 'object' && stored !== null ? Object.entries(stored) : []
    return Object.fromEntries(entries.filter(([, choice]) => FUNCTIONS.includes(choice)))
  } catch {
    return {}
  }
}
