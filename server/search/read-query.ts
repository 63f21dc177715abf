/** What a caller typed, read as words and as a telephone number. See docs/reference/search.md (What is searched). */

import { handleOf, wordsOf } from './words'

/** One word of a query; a record must have all of them. */
export interface Term {
  readonly word: string
  /** Digits of which a telephone number may have any; none when the word is no number. */
  readonly digits: readonly string[]
}

export interface SearchQuery {
  /** As it was typed, without spaces around it. */
  readonly text: string
  readonly terms: readonly Term[]
  /** The whole query as digits of a telephone number; none when it does not look like one. */
  readonly digits: readonly string[]
}

const ADDRESS = /^https?:\/\/\S+$/i
const PHONE_NUMBER = /^[+\d(][\d\s().+/-]*$/
const FEWEST_DIGITS = 3
/** Of a number in E.164. */
const MOST_DIGITS = 15

export function readSearchQuery(query: string): SearchQuery {
  const text = query.trim()
  const words = wordsOf(ADDRESS.test(text) ? handleOf(text) : text)
  return {
    text,
    terms: words.map((word) => ({ word, digits: /^\d+$/.test(word) ? readings(word) : [] })),
    digits: PHONE_NUMBER.test(text) ? readings(text.replace('(0)', '').replace(/\D/g, '')) : [],
  }
}

/** What is dialled before a number within its country, which no number in E.164 has: 00 and 0, in some countries 8 or 06. */
const DIALLED_BEFORE = [/^0+/, /^8(?=\d{10}$)/, /^06(?=\d{8,9}$)/]

function readings(digits: string): string[] {
  const all = [digits, ...DIALLED_BEFORE.map((prefix) => digits.replace(prefix, ''))]
  return [...new Set(all)].filter(({ length }) => length >= FEWEST_DIGITS && length <= MOST_DIGITS)
}
