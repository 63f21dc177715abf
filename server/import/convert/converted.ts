/** What a cell becomes: values in the form their attribute's type takes, and what had to be left out. */

import type { CountryCode } from '../../attribute-types/country-codes'
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

const NONE: readonly never[] = []

export const NOTHING: Converted = { values: NONE, problems: NONE }

export const one = (value: unknown): Converted => ({ values: [value], problems: NONE })

export const unusable = (problem: string): Converted => ({ values: NONE, problems: [problem] })

/** Reads each part on its own, so that a bad one does not take the others with it. */
export function each(parts: readonly string[], read: (part: string) => Converted): Converted {
  const [first, ...others] = parts
  if (first === undefined) return NOTHING
  if (others.length === 0) return read(first)
  const all = parts.map(read)
  const elsewhere: Record<string, string> = Object.assign({}, ...all.map((part) => part.elsewhere ?? {})) // merged maps
  return {
    values: all.flatMap(({ values }) => values),
    problems: all.flatMap(({ problems }) => problems),
    ...(Object.keys(elsewhere).length > 0 ? { elsewhere } : {}),
  }
}
