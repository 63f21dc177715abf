/** Types whose cells hold one plain value. */

import {
  type CellConverter,
  type ConvertCell,
  NO_VALUES,
  oneValue,
  skipBlank,
  unreadable,
} from '#transfer/import/convert/conversion'
import { readCheckbox, readDate, readNumber } from '#vocabulary/written-values'

/** `read` gives undefined for a text that is not `expected`. */
const readWith = <T>(read: (text: string) => T | undefined, expected: string): CellConverter => ({
  convert: skipBlank((text) => {
    const value = read(text)
    return value === undefined ? unreadable(`"${text.trim()}" is not ${expected}`) : oneValue(value)
  }),
})

/** Texts have no limit of their own and no blank words: `none` is a text. */
export const convertTextConverter: ConvertCell = (text) => {
  const trimmed = text.trim()
  return trimmed === '' ? NO_VALUES : oneValue(trimmed)
}

export const textConverter: CellConverter = { convert: convertTextConverter }
export const numberConverter = readWith(readNumber, 'a number')
export const checkboxConverter = readWith(readCheckbox, 'yes or no')
export const dateConverter = readWith(readDate, 'a date that can only be one day; write it as YYYY-MM-DD')
export const timestampConverter = readWith(readDate, 'a point in time; write it as YYYY-MM-DDThh:mm:ssZ')
