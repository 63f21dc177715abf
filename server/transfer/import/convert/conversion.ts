/** The result of converting a cell: values in the form that the attribute type parses, and problems. */

import type { CountryCode } from '#vocabulary/countries'
import type { Attribute, DataModel } from '#engine/data-model/model'
import { isBlank } from './readers'

export interface ConversionResult {
  readonly values: readonly unknown[]
  /** One sentence for each part of the cell that could not be read. */
  readonly problems: readonly string[]
  /** Values for other attributes, by slug. The import writes them where those attributes are empty. */
  readonly forOtherAttributes?: Readonly<Record<string, string>>
}

export interface ConverterContext {
  readonly attribute: Attribute
  readonly model: DataModel
  /** Whether cells have the form of an importable export, in which every text is a value: docs/import.md (Files of an export). */
  readonly isExact: boolean
  /** The country whose national form applies to telephone numbers without a plus sign. */
  readonly country: CountryCode | undefined
}

export type ConvertCell = (text: string, context: ConverterContext) => ConversionResult

/** How the cells of an attribute type are read. */
export interface CellConverter {
  /** Reads a cell that holds whole values. */
  readonly convert: ConvertCell
  /** Undefined for types whose values cannot be spread over several columns. */
  readonly parts?: PartsConverter
}

export interface PartsConverter {
  /** The names after the point in a target, for example `locality` in `primary_location.locality`. */
  readonly names: readonly string[]
  /** Makes one value of the parts that a row has, by name. At least one part is given. */
  convert(parts: Readonly<Record<string, string>>, isExact: boolean): ConversionResult
}

/** The API accepts as many values of one attribute in one write. */
const MAX_VALUES = 1000

const NONE: readonly never[] = []

export const NO_VALUES: ConversionResult = { values: NONE, problems: NONE }

export const oneValue = (value: unknown): ConversionResult => ({ values: [value], problems: NONE })

export const unreadable = (problem: string): ConversionResult => ({ values: NONE, problems: [problem] })

/** Converts each part on its own, so that an unreadable part does not affect the others. */
export function convertEach(parts: readonly string[], convert: (part: string) => ConversionResult): ConversionResult {
  const [first] = parts
  if (first === undefined) return NO_VALUES
  if (parts.length === 1) return convert(first)
  if (parts.length > MAX_VALUES) return unreadable(`A cell has at most ${MAX_VALUES} values`)
  const values: unknown[] = []
  const problems: string[] = []
  let forOtherAttributes: ConversionResult['forOtherAttributes']
  for (const part of parts) {
    const result = convert(part)
    values.push(...result.values)
    problems.push(...result.problems)
    if (result.forOtherAttributes) forOtherAttributes = { ...forOtherAttributes, ...result.forOtherAttributes }
  }
  return { values, problems, ...(forOtherAttributes && { forOtherAttributes }) }
}

// Wrappers that most converters share: a limit on the length of a cell, and blank cells that hold no value.

/** Applies to cells of every type but text. */
const MAX_CHARACTERS = 100_000

export const limitLength =
  (convert: ConvertCell): ConvertCell =>
  (text, context) =>
    text.length > MAX_CHARACTERS
      ? unreadable(`A cell for "${context.attribute.api_slug}" has at most ${MAX_CHARACTERS} characters`)
      : convert(text, context)

/** Limits the length and reads a blank cell as no value. */
export const skipBlank = (convert: ConvertCell): ConvertCell =>
  limitLength((text, context) => (isBlank(text) ? NO_VALUES : convert(text, context)))
