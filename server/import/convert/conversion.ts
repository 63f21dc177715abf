/** What a cell becomes: values in the form their attribute's type takes, and what had to be left out. */

import type { CountryCode } from '../../attribute-types/data/country-codes'
import type { Attribute, DataModel } from '../../data-model/model'

export interface ConversionResult {
  readonly values: readonly unknown[]
  /** Sentences about what could not be used. */
  readonly problems: readonly string[]
  /** Values that belong to other attributes, by slug; they are written where those are empty. */
  readonly forOtherAttributes?: Readonly<Record<string, string>>
}

export interface ConverterContext {
  readonly attribute: Attribute
  readonly model: DataModel
  /** Whose national form telephone numbers without a plus are in. */
  readonly country: CountryCode | undefined
}

export type Converter = (text: string, conversion: ConverterContext) => ConversionResult

/** As many as a write over the API may have of one attribute. */
const MOST_PARTS = 1000

const NONE: readonly never[] = []

export const NO_VALUES: ConversionResult = { values: NONE, problems: NONE }

export const one = (value: unknown): ConversionResult => ({ values: [value], problems: NONE })

export const unreadable = (problem: string): ConversionResult => ({ values: NONE, problems: [problem] })

/** Reads each part on its own, so that a bad one does not take the others with it. */
export function each(parts: readonly string[], read: (part: string) => ConversionResult): ConversionResult {
  const [first] = parts
  if (first === undefined) return NO_VALUES
  if (parts.length === 1) return read(first)
  if (parts.length > MOST_PARTS) return unreadable(`A cell has at most ${MOST_PARTS} values`)
  const values: unknown[] = []
  const problems: string[] = []
  let forOtherAttributes: ConversionResult['forOtherAttributes']
  for (const part of parts) {
    const converted = read(part)
    values.push(...converted.values)
    problems.push(...converted.problems)
    if (converted.forOtherAttributes) forOtherAttributes = { ...forOtherAttributes, ...converted.forOtherAttributes }
  }
  return { values, problems, ...(forOtherAttributes && { forOtherAttributes }) }
}
