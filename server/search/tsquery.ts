/**
 * A query as PostgreSQL's `tsquery` over the tokens of records. It may find more than was asked for; `rank.ts` decides.
 * Nothing in it can be syntax: words have neither quotes nor backslashes, and stand in quotes.
 */

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
export const beginnings = (query: SearchQuery, isCommon: (word: string) => boolean = () => false): string =>
  everyTerm(query, (text) => (isCommon(text) ? word(text) : beginning(text)))

/** Of each word that may have an error, all words it may have been meant to be: those one edit away. */
export function neighbours({ terms }: SearchQuery): string[] {
  const words = terms.filter(mayHaveErrors).slice(0, MOST_WORDS_WITH_ERRORS)
  return words.flatMap((term) => [...neighboursOf(term)])
}

const MOST_WORDS_WITH_ERRORS = 4

/** A neighbour as it is sought: as the beginning of a word, unless it is so short that too many words begin so. */
export const nearWord = (text: string): string => (text.length > 3 ? beginning(text) : word(text))

/** For each word of the query itself and what else it may have been meant to be, of the neighbours that are `known`. */
export const meanings = ({ terms }: SearchQuery, known: ReadonlySet<string>): string[][] =>
  terms.map((term) => [
    term.word,
    ...(mayHaveErrors(term) ? [...neighboursOf(term)].filter((each) => known.has(each)) : []),
  ])

/** Like `beginnings`, with one error in any of its words; `known` are the neighbours that records do have. */
export function withErrors(query: SearchQuery, known: ReadonlySet<string>): string {
  const meant = new Map(meanings(query, known).map(([text = '', ...others]) => [text, others]))
  return everyTerm(query, (text) => anyOf([beginning(text), ...(meant.get(text) ?? []).map(nearWord)]))
}

/** The first three letters of two words, as `relata.search_pairs` keeps them of labels, in the order they stand in. */
type Pair = string

/**
 * For each two of the words typed the pairs of which a label has one, when the words are beginnings of some of its own;
 * `words` are what each may be. None when less than two have three letters, or more than four: not all are kept of labels
 * that have more.
 */
export function pairsOf(words: readonly (readonly string[])[]): Pair[][] {
  const firsts = words
    .filter(meansAnotherWord)
    .map(firstLetters)
    .filter(({ size }) => size > 0)
  if (firsts.length > 4) return []
  return firsts.flatMap((some, index) => firsts.slice(index + 1).map((others) => pairsBetween(some, others)))
}

/** Of those typed, one may be the beginning of the same word of a label as another. */
const meansAnotherWord = ([typed = '']: readonly string[], index: number, words: readonly (readonly string[])[]) =>
  !words.some(
    ([other = ''], accessor) => accessor !== index && other.startsWith(typed) && (other !== typed || accessor < index),
  )

function firstLetters(words: readonly string[]): Set<string> {
  const firsts = words.map((text) => [...text].slice(0, 3)).filter(({ length }) => length === 3)
  return new Set(firsts.map((letters) => letters.join('')))
}

const pairsBetween = (some: ReadonlySet<string>, others: ReadonlySet<string>): Pair[] =>
  [...some].flatMap((one) => [...others].flatMap((other) => [`${one}+${other}`, `${other}+${one}`]))

/** Records whose labels have one of each. */
export const withPairs = (pairs: readonly (readonly Pair[])[]): string =>
  pairs.map((some) => anyOf(some.map(word))).join(' & ')

/** Like `beginnings`, with only the beginning of long words right; undefined when there is none. */
export function roughly(query: SearchQuery): string | undefined {
  if (!query.terms.some(({ word }) => word.length >= FEWEST_LETTERS_FOR_ERRORS[2])) return undefined
  return everyTerm(query, (text) =>
    beginning(text.length >= FEWEST_LETTERS_FOR_ERRORS[2] ? [...text].slice(0, RIGHT_BEGINNING).join('') : text),
  )
}

const mayHaveErrors = ({ word, digits }: Term): boolean =>
  word.length >= FEWEST_LETTERS_FOR_ERRORS[1] && digits.length === 0

const neighboursOfTerm = new WeakMap<Term, Set<string>>()

function neighboursOf(term: Term): Set<string> {
  const found = neighboursOfTerm.get(term) ?? oneEditAway(term.word.slice(0, MOST_COMPARED))
  neighboursOfTerm.set(term, found)
  return found
}

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
