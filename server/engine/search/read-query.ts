/** Reads a search query as words and as a telephone number. See docs/reference/search.md (What is searched). */

import { handleOf, wordsOf } from './words'

/** One word of a query. A record must match all of them. */
export interface Term {
  readonly word: string
  /** The word read as digits of a telephone number, of which one reading must match; empty when it is not a number. */
  readonly digits: readonly string[]
}

export interface SearchQuery {
  /** The query without spaces around it. */
  readonly text: string
  readonly terms: readonly Term[]
  /** The whole query read as digits of a telephone number; empty when it does not look like one. */
  readonly digits: readonly string[]
}

const ADDRESS = /^https?:\/\/\S+$/i
const PHONE_NUMBER = /^[+\d(][\d\s().+/-]*$/
const MIN_DIGITS = 3
/** The length of the longest number in E.164. */
const MAX_DIGITS = 15

export function readSearchQuery(query: string): SearchQuery {
  const text = query.trim()
  const words = wordsOf(ADDRESS.test(text) ? handleOf(text) : text)
  return {
    text,
    terms: words.map((word) => ({ word, digits: /^\d+$/.test(word) ? digitReadings(word) : [] })),
    digits: PHONE_NUMBER.test(text) ? digitReadings(text.replace('(0)', '').replace(/\D/g, '')) : [],
  }
}

/** Prefixes that are dialled within a country and that E.164 leaves out: 00 and 0, in some countries 8 or 06. */
const DIALLING_PREFIXES = [/^0+/, /^8(?=\d{10}$)/, /^06(?=\d{8,9}$)/]

function digitReadings(digits: string): string[] {
  const all = [digits, ...DIALLING_PREFIXES.map((prefix) => digits.replace(prefix, ''))]
  return [...new Set(all)].filter(({ length }) => length >= MIN_DIGITS && length <= MAX_DIGITS)
}
