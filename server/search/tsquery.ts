/**
 * A query as PostgreSQL's `tsquery` over the tokens of records. It may find more than was asked for; `rank.ts` decides.
 * Nothing in it can be syntax: words have neither quotes nor backslashes, and stand in quotes.
 */

import type { CommonWords } from './common-words'
import { MOST_COMPARED, oneEditAway } from './edits'
import { FEWEST_LETTERS_FOR_ERRORS, RIGHT_BEGINNING } from './rank'
import type { SearchQuery, Term } from './read-query'

const word = (text: string): string => `'${text}'`
const beginning = (text: string): string => `'${text}':*`

/** Records that have all words. */
export const wholeWords = (query: SearchQuery): string => everyTerm(query, word)

/**
 * Records that have words beginning with all of the query's. Of a word that very many have, only itself is sought: the
 * index lists all that begin so before it looks at any other word, but skips through the records of a whole one.
 */
export const beginnings = (query: SearchQuery, common?: Pick<CommonWords, 'has'>): string =>
  everyTerm(query, (text) => (common?.has(text) ? word(text) : beginning(text)))

/** Of each word that may have an error, all words it may have been meant to be. */
export function neighbours({ terms }: SearchQuery): string[] {
  const words = terms.filter(mayHaveErrors).slice(0, MOST_WORDS_WITH_ERRORS)
  return words.flatMap((term) => [...neighboursOf(term)])
}

const MOST_WORDS_WITH_ERRORS = 4

/** Like `beginnings`, with one error in any of its words; `known` are the neighbours that records do have. */
export function withErrors(query: SearchQuery, known: ReadonlySet<string>): string {
  return everyTerm(query, (text, term) => {
    const meant = mayHaveErrors(term) ? [...neighboursOf(term)].filter((each) => known.has(each)) : []
    return anyOf([beginning(text), ...meant])
  })
}

/** Like `beginnings`, with only the beginning of long words right; undefined when there is none. */
export function roughly(query: SearchQuery): string | undefined {
  if (!query.terms.some(({ word }) => word.length >= FEWEST_LETTERS_FOR_ERRORS[2])) return undefined
  return everyTerm(query, (text) =>
    beginning(text.length >= FEWEST_LETTERS_FOR_ERRORS[2] ? [...text].slice(0, RIGHT_BEGINNING).join('') : text),
  )
}

const mayHaveErrors = ({ word, digits }: Term): boolean =>
  word.length >= FEWEST_LETTERS_FOR_ERRORS[1] && digits.length === 0

/** Beginnings of words, unless they are so short that too many words begin so. */
const neighboursOf = ({ word: typed }: Term): Set<string> =>
  new Set(
    [...oneEditAway(typed.slice(0, MOST_COMPARED))].map((each) => (each.length > 3 ? beginning(each) : word(each))),
  )

function everyTerm({ terms, digits }: SearchQuery, form: (text: string, term: Term) => string): string {
  const all = terms.map((term) => anyOf([form(term.word, term), ...term.digits.map(partOfNumber)])).join(' & ')
  return anyOf([all, ...digits.map(partOfNumber)].filter((part) => part !== ''))
}

const anyOf = (parts: readonly string[]): string => (parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(' | ')})`)

/** Every three digits in a row. */
function partOfNumber(digits: string): string {
  const threes = Array.from({ length: digits.length - 2 }, (_, index) => word(`#${digits.slice(index, index + 3)}`))
  return `(${threes.join(' & ')})`
}
