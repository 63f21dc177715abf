/**
 * Compiles a search query to PostgreSQL's `tsquery`. The `tsquery` may match more records than the query; `rank.ts` leaves
 * those out. Words are quoted and contain neither quotes nor backslashes, so no part of them is read as syntax.
 */

import { EXACT_PREFIX_LENGTH, MAX_COMPARED_LETTERS, MIN_LETTERS_FOR_ERRORS, oneEditAway } from './rank'
import type { SearchQuery, Term } from './words'

const word = (text: string): string => `'${text}'`
const prefix = (text: string): string => `'${text}':*`

/** Matches records that have all typed words. */
export const exactWords = (query: SearchQuery): string => everyTerm(query, word)

/**
 * Matches records that have, for each typed word, a word with this prefix. A common word matches exactly: the index lists
 * all records of a prefix before it looks at any other word, but skips through the records of an exact one.
 */
export const prefixes = (query: SearchQuery, isCommon: (word: string) => boolean = () => false): string =>
  everyTerm(query, (text) => (isCommon(text) ? word(text) : prefix(text)))

/** The neighbours of the query's words: the words one edit away from a word that may have a typing error. */
export function neighboursOfQuery({ terms }: SearchQuery): string[] {
  const words = terms.filter(mayHaveErrors).slice(0, MAX_WORDS_WITH_ERRORS)
  return words.flatMap((term) => [...neighboursOf(term)])
}

const MAX_WORDS_WITH_ERRORS = 4

/** Matches a neighbour as a prefix, or exactly when it is so short that too many words begin with it. */
export const neighbourQuery = (text: string): string => (text.length > 3 ? prefix(text) : word(text))

/** For each typed word, the word itself and those of its neighbours that are among `existing`. */
export const alternativesOf = ({ terms }: SearchQuery, existing: ReadonlySet<string>): string[][] =>
  terms.map((term) => [
    term.word,
    ...(mayHaveErrors(term) ? [...neighboursOf(term)].filter((each) => existing.has(each)) : []),
  ])

/** Like `prefixes`, but each word may also match one of its neighbours that are among `existing`. */
export function prefixesOrNeighbours(query: SearchQuery, existing: ReadonlySet<string>): string {
  const neighbours = new Map(alternativesOf(query, existing).map(([text = '', ...others]) => [text, others]))
  return everyTerm(query, (text) => anyOf([prefix(text), ...(neighbours.get(text) ?? []).map(neighbourQuery)]))
}

/** The first three letters of two words of a label, in their order, as `relata.search_pairs` makes them. */
export type Pair = string

/**
 * For each two typed words, the pairs of which a label has one if it has words with these prefixes. `words` lists the
 * alternatives of each typed word. Returns no pairs unless two to four words have three letters or more, because a label has
 * pairs only of its first four such words.
 */
export function pairsOf(words: readonly (readonly string[])[]): Pair[][] {
  const starts = words
    .filter(isDistinctPrefix)
    .map(firstLetters)
    .filter(({ size }) => size > 0)
  if (starts.length > 4) return []
  return starts.flatMap((some, index) => starts.slice(index + 1).map((others) => pairsBetween(some, others)))
}

/** False when the typed word is a prefix of another one: both may match the same word of a label. */
const isDistinctPrefix = ([typed = '']: readonly string[], index: number, words: readonly (readonly string[])[]) =>
  !words.some(
    ([other = ''], position) => position !== index && other.startsWith(typed) && (other !== typed || position < index),
  )

function firstLetters(words: readonly string[]): Set<string> {
  const firsts = words.map((text) => [...text].slice(0, 3)).filter(({ length }) => length === 3)
  return new Set(firsts.map((letters) => letters.join('')))
}

const pairsBetween = (some: ReadonlySet<string>, others: ReadonlySet<string>): Pair[] =>
  [...some].flatMap((one) => [...others].flatMap((other) => [`${one}+${other}`, `${other}+${one}`]))

/** Matches records whose labels have one pair of each list. */
export const pairsQuery = (pairs: readonly (readonly Pair[])[]): string =>
  pairs.map((some) => anyOf(some.map(word))).join(' & ')

/** Like `prefixes`, but of a long word only the first letters must match. Undefined when no word is long. */
export function shortPrefixes(query: SearchQuery): string | undefined {
  if (!query.terms.some(({ word }) => word.length >= MIN_LETTERS_FOR_ERRORS[2])) return undefined
  return everyTerm(query, (text) =>
    prefix(text.length >= MIN_LETTERS_FOR_ERRORS[2] ? [...text].slice(0, EXACT_PREFIX_LENGTH).join('') : text),
  )
}

const mayHaveErrors = ({ word, digits }: Term): boolean =>
  word.length >= MIN_LETTERS_FOR_ERRORS[1] && digits.length === 0

const neighboursOfTerm = new WeakMap<Term, Set<string>>()

function neighboursOf(term: Term): Set<string> {
  const found = neighboursOfTerm.get(term) ?? oneEditAway(term.word.slice(0, MAX_COMPARED_LETTERS))
  neighboursOfTerm.set(term, found)
  return found
}

function everyTerm({ terms, digits }: SearchQuery, form: (text: string, term: Term) => string): string {
  const all = terms.map((term) => anyOf([form(term.word, term), ...term.digits.map(partOfNumber)])).join(' & ')
  return anyOf([all, ...digits.map(partOfNumber)].filter((part) => part !== ''))
}

const anyOf = (parts: readonly string[]): string => (parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(' | ')})`)

/** Matches telephone numbers that contain every three successive digits of these. */
function partOfNumber(digits: string): string {
  const triples = Array.from({ length: digits.length - 2 }, (_, index) => word(`#${digits.slice(index, index + 3)}`))
  return `(${triples.join(' & ')})`
}
