/** Ranks how well a record matches a query. See docs/reference/search.md (The order of hits); docs/decisions/search.md. */

import type { Candidate } from './candidate'
import { editsToPrefix, MAX_COMPARED_LETTERS } from './edits'
import type { SearchQuery, Term } from './read-query'

/** The maximum number of typing errors in one word. */
export type Errors = 0 | 1 | 2

/** Lower is better. */
export const SAME_KEY = 0
export const SAME_LABEL = 1
const PREFIX_OF_KEY = 2
const FIRST_OTHER_RANK = 3

/** The cost of a typed word by where it matches. Each typing error adds to it. */
const COST = { labelWord: 0, labelPrefix: 1, otherWord: 2, otherPrefix: 3, phoneNumber: 4, error: 10 } as const
/** Makes the cost of the worst word weigh more than the sum of all. */
const WORST_WORD_FACTOR = 100_000

/** The least length of a word in which so many errors are allowed. A shorter word has too many neighbours. */
export const MIN_LETTERS_FOR_ERRORS = [0, 4, 7] as const
/** The number of letters that must match exactly at the start of a word with two errors. */
export const EXACT_PREFIX_LENGTH = 4
/** Digits of this length are a whole telephone number, not a part of one. */
const MIN_WHOLE_NUMBER_LENGTH = 8

/** Lower is better; undefined when the record does not match. `key` is the query read as a key. */
export function rankOf(query: SearchQuery, candidate: Candidate, key: string | undefined, errors: Errors) {
  if (isKeyMatch(query, candidate, key)) return SAME_KEY
  if (isLabel(query, candidate)) return SAME_LABEL
  if (isPrefixOfKey(query, candidate)) return PREFIX_OF_KEY
  const costs = costsOf(query, candidate, errors)
  if (costs === undefined) return undefined
  const isLabelPrefix = candidate.label[0]?.startsWith(query.terms[0]?.word ?? '') === true
  const sum = costs.reduce((total, cost) => total + cost, 0)
  return FIRST_OTHER_RANK + Math.max(...costs) * WORST_WORD_FACTOR + sum * 2 + (isLabelPrefix ? 0 : 1)
}

function isKeyMatch(
  { text, digits }: SearchQuery,
  { id, keys, phoneNumbers }: Candidate,
  key: string | undefined,
): boolean {
  if (key !== undefined && keys.includes(key)) return true
  return (
    id === text.toLowerCase() || digits.some((d) => d.length >= MIN_WHOLE_NUMBER_LENGTH && phoneNumbers.includes(d))
  )
}

const isLabel = ({ terms }: SearchQuery, { label }: Candidate): boolean =>
  terms.length > 0 && terms.length === label.length && terms.every(({ word }, index) => word === label[index])

/** True only for a query that looks like an address or a domain. A single word is more likely a name. */
const isPrefixOfKey = ({ text }: SearchQuery, { keys }: Candidate): boolean =>
  /.[.@]/.test(text) && keys.some((key) => key.startsWith(text.toLowerCase()))

/** The cost of each typed word; undefined unless all of them match, or the whole query as a telephone number. */
function costsOf({ terms, digits }: SearchQuery, candidate: Candidate, errors: Errors): number[] | undefined {
  if (hasPart(candidate, digits)) return [COST.phoneNumber]
  const costs: number[] = []
  for (const term of terms) {
    const cost = exactCost(term, candidate) ?? errorCost(term, candidate, errors)
    if (cost === undefined) return undefined
    costs.push(cost)
  }
  return costs.length > 0 ? costs : undefined
}

function exactCost({ word, digits }: Term, candidate: Candidate): number | undefined {
  const isPrefixOf = (other: string) => other.startsWith(word)
  if (candidate.label.includes(word)) return COST.labelWord
  if (candidate.label.some(isPrefixOf)) return COST.labelPrefix
  const { others } = candidate
  if (others.includes(word)) return COST.otherWord
  if (others.some(isPrefixOf)) return COST.otherPrefix
  return hasPart(candidate, digits) ? COST.phoneNumber : undefined
}

const hasPart = ({ phoneNumbers }: Candidate, digits: readonly string[]): boolean =>
  digits.some((part) => phoneNumbers.some((number) => number.includes(part)))

/** Fewer errors cost less, wherever the word matches. With as many errors, a whole word costs less than a prefix. */
function errorCost({ word, digits }: Term, candidate: Candidate, errors: Errors): number | undefined {
  const max = digits.length > 0 ? 0 : maxErrors(word, errors)
  if (max === 0) return undefined
  let best: number | undefined
  const compare = (target: string, wordCost: number, prefixCost: number) => {
    const edits = errorsIn(word, target, max)
    if (edits > max) return
    const isWhole = Math.abs(target.length - word.length) <= edits
    const cost = edits * COST.error + (isWhole ? wordCost : prefixCost)
    best = Math.min(best ?? cost, cost)
  }
  for (const target of candidate.label) compare(target, COST.labelWord, COST.labelPrefix)
  // A match in the label with one error is better than any match elsewhere.
  if (best !== undefined && best < 2 * COST.error) return best
  for (const target of candidate.others) compare(target, COST.otherWord, COST.otherPrefix)
  return best
}

function maxErrors(word: string, errors: Errors): Errors {
  if (errors === 2 && word.length >= MIN_LETTERS_FOR_ERRORS[2]) return 2
  return errors > 0 && word.length >= MIN_LETTERS_FOR_ERRORS[1] ? 1 : 0
}

function errorsIn(word: string, target: string, max: Errors): number {
  const allowed = max === 2 && !target.startsWith(word.slice(0, EXACT_PREFIX_LENGTH)) ? 1 : max
  const edits = editsToPrefix(word.slice(0, MAX_COMPARED_LETTERS), target, allowed)
  return edits > allowed ? Infinity : edits
}
