/** What a cell becomes: values in the form their attribute's type takes, and what had to be left out. */

import type { CountryCode } from '../../attribute-types/data/country-codes'
import type { Attribute, DataModel } from '../../data-model/model'

export interface Converted {
  readonly values: readonly unknown[]
  /** Sentences about what could not be used. */
  readonly problems: readonly string[]
  /** Values that belong to other attributes, by slug; they are written where those are empty. */
  readonly elsewhere?: Readonly<Record<string, string>>
}

export interface Conversion {
  readonly attribute: Attribute
  readonly model: DataModel
  /** Whose national form telephone numbers without a plus are in. */
  readonly country: CountryCode | undefined
}

export type Converter = (text: string, conversion: Conversion) => Converted

/** As many as a write over the API may have of one attribute. */
const MOST_PARTS = 1000

const NONE: readonly never[] = []

export const NOTHING: Converted = { values: NONE, problems: NONE }

export const one = (value: unknown): Converted => ({ values: [value], problems: NONE })

export const unusable = (problem: string): Converted => ({ values: NONE, problems: [problem] })

/** Reads each part on its own, so that a bad one does not take the others with it. */
export function each(parts: readonly string[], read: (part: string) => Converted): Converted {
  const [first] = parts
  if (first === undefined) return NOTHING
  if (parts.length === 1) return read(first)
  if (parts.length > MOST_PARTS) return unusable(`A cell has at most ${MOST_PARTS} values`)
  const values: unknown[] = []
  const problems: string[] = []
  let elsewhere: Converted['elsewhere']
  for (const part of parts) {
    const converted = read(part)
    values.push(...converted.values)
    problems.push(...converted.problems)
    if (converted.elsewhere) elsewhere = { ...elsewhere, ...converted.elsewhere }
  }
  return { values, problems, ...(elsewhere && { elsewhere }) }
}
