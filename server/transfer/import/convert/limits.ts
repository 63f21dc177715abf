/** Wrappers that most converters share: a limit on the length of a cell, and blank cells that hold no value. */

import { type ConvertCell, NO_VALUES, unreadable } from './conversion'
import { isBlank } from './readers/blank'

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
