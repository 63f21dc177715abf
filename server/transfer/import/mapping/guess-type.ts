/** Guesses the type of a new attribute for a column from a sample of its values. */

import type { Target } from './mapping'
import { isBlank, readAmounts, splitList } from '#transfer/import/convert/readers'
import { readCheckbox, readDate, readNumber } from '#vocabulary/written-values'
import { parseMailHostName } from '#engine/attribute-types/formats/host-names'

type Guess = Required<Pick<Target, 'type' | 'isMultiselect'>> & Pick<Target, 'currency'>

/** With fewer values, it is unclear how often they repeat. */
const MIN_VALUES_FOR_OPTIONS = 10
const MAX_OPTIONS = 50
const MAX_OPTION_CHARACTERS = 50
const MAX_TAG_WORDS = 4

/** Returns undefined when the sample has no value. */
export function guessType(sample: readonly string[]): Guess | undefined {
  const values = sample.map((value) => value.trim()).filter((value) => !isBlank(value))
  if (values.length === 0) return undefined
  const single = (type: Guess['type']): Guess => ({ type, isMultiselect: false })
  if (values.every((value) => readCheckbox(value) !== undefined) && !values.every(isDigit)) return single('checkbox')
  if (values.every(isEmail)) return single('email-address')
  if (values.every((value) => /^\+[\d\s().-]{6,}$/.test(value))) return single('phone-number')
  if (values.every(isPlainNumber)) return single('number')
  const currency = guessCurrency(values)
  if (currency !== undefined) return { ...single('currency'), currency }
  if (values.every(isMoment)) return single('timestamp')
  if (values.every((value) => readDate(value) !== undefined)) return single('date')
  if (isTags(values)) return { type: 'select', isMultiselect: true }
  return single(isChoice(values) ? 'select' : 'text')
}

const isDigit = (value: string): boolean => /^[01]$/.test(value)
/** A number without a currency. */
const isPlainNumber = (value: string): boolean => !/\p{Sc}|[A-Z]{3}/u.test(value) && readNumber(value) !== undefined
const isMoment = (value: string): boolean => /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(value)

function isEmail(value: string): boolean {
  const at = value.lastIndexOf('@')
  return at > 0 && !/\s/.test(value) && parseMailHostName(value.slice(at + 1)) !== undefined
}

/** The currency of all values; undefined when they name none or several. */
function guessCurrency(values: readonly string[]): string | undefined {
  const currencies = new Set<string>()
  for (const value of values) {
    const amounts = readAmounts(value)
    if (amounts === undefined) return undefined
    if (amounts.currency !== undefined) currencies.add(amounts.currency)
  }
  return currencies.size === 1 ? [...currencies][0] : undefined
}

/** Whether the values are lists of short words, some of which repeat. */
function isTags(values: readonly string[]): boolean {
  const lists = values.map((value) => splitList(value))
  const several = lists.filter((list) => list.length > 1).length
  if (several * 5 < values.length) return false
  const tags = lists.flat()
  const isShort = tags.every((tag) => tag.length <= MAX_OPTION_CHARACTERS && tag.split(/\s+/).length <= MAX_TAG_WORDS)
  return isShort && new Set(tags.map((tag) => tag.toLowerCase())).size < tags.length * 0.75
}

/** Whether the values are short and few of them differ. */
function isChoice(values: readonly string[]): boolean {
  const different = new Set(values.map((value) => value.toLowerCase()))
  if (values.length < MIN_VALUES_FOR_OPTIONS || different.size > MAX_OPTIONS || different.size * 3 > values.length)
    return false
  return values.every((value) => value.length <= MAX_OPTION_CHARACTERS)
}
