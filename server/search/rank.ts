/** How well a record is what was asked for. See docs/reference/search.md (The order of hits); decision 0031. */

import type { Candidate } from './candidate'
import { editsToBeginning, MOST_COMPARED } from './edits'
import type { SearchQuery, Term } from './read-query'

/** Typing errors that are forgiven in one word, at most. */
export type Errors = 0 | 1 | 2

/** Lower is better. */
export const SAME_KEY = 0
export const SAME_LABEL = 1
const BEGINNING_OF_KEY = 2
const FIRST_OTHER = 3

/** What a word costs by where it was found; a word with errors costs their number more. */
const COST = { labelWord: 0, labelBeginning: 1, otherWord: 2, otherBeginning: 3, phoneNumber: 4, error: 10 } as const
const WORST_COUNTS = 100_000

/** Shorter words have too many neighbours to be taken for one of them. */
export const FEWEST_LETTERS_FOR_ERRORS = [0, 4, 7] as const
/** What must be right of a word with two errors. */
export const RIGHT_BEGINNING = 4
/** With so many digits, it is one number and no part of others. */
const WHOLE_NUMBER = 8

/** Undefined for a record that is not what was asked for. `key` is what the whole query means as a key. */
export function rankOf(query: SearchQuery, candidate: Candidate, key: string | undefined, errors: Errors) {
  if (isSame(query, candidate, key)) return SAME_KEY
  if (isLabel(query, candidate)) return SAME_LABEL
  if (isBeginningOfKey(query, candidate)) return BEGINNING_OF_KEY
  const costs = costsOf(query, candidate, errors)
  if (costs === undefined) return undefined
  const starts = candidate.label[0]?.startsWith(query.terms[0]?.word ?? '') === true
  const sum = costs.reduce((total, cost) => total + cost, 0)
  return FIRST_OTHER + Math.max(...costs) * WORST_COUNTS + sum * 2 + (starts ? 0 : 1)
}

function isSame(
  { text, digits }: SearchQuery,
  { id, keys, phoneNumbers }: Candidate,
  key: string | undefined,
): boolean {
  if (key !== undefined && keys.includes(key)) return true
  return id === text.toLowerCase() || digits.some((d) => d.length >= WHOLE_NUMBER && phoneNumbers.includes(d))
}

const isLabel = ({ terms }: SearchQuery, { label }: Candidate): boolean =>
  terms.length > 0 && terms.length === label.length && terms.every(({ word }, index) => word === label[index])

/** Only what looks like an address or a domain: single words are rather names. */
const isBeginningOfKey = ({ text }: SearchQuery, { keys }: Candidate): boolean =>
  /.[.@]/.test(text) && keys.some((key) => key.startsWith(text.toLowerCase()))

/** What each word costs; undefined unless all of them, or the query as one telephone number, were found. */
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
  const begins = (other: string) => other.startsWith(word)
  if (candidate.label.includes(word)) return COST.labelWord
  if (candidate.label.some(begins)) return COST.labelBeginning
  const { others } = candidate
  if (others.includes(word)) return COST.otherWord
  if (others.some(begins)) return COST.otherBeginning
  return hasPart(candidate, digits) ? COST.phoneNumber : undefined
}

const hasPart = ({ phoneNumbers }: Candidate, digits: readonly string[]): boolean =>
  digits.some((part) => phoneNumbers.some((number) => number.includes(part)))

/** A word with fewer errors costs less wherever it was found, then a whole word less than a beginning. */
function errorCost({ word, digits }: Term, candidate: Candidate, errors: Errors): number | undefined {
  const most = digits.length > 0 ? 0 : mostErrors(word, errors)
  if (most === 0) return undefined
  let best: number | undefined
  const compare = (target: string, wordCost: number, beginningCost: number) => {
    const edits = errorsIn(word, target, most)
    if (edits > most) return
    const isWhole = Math.abs(target.length - word.length) <= edits
    const cost = edits * COST.error + (isWhole ? wordCost : beginningCost)
    best = Math.min(best ?? cost, cost)
  }
  for (const target of candidate.label) compare(target, COST.labelWord, COST.labelBeginning)
  // With the only error that is known of, no other place is better.
  if (best !== undefined && best < 2 * COST.error) return best
  for (const target of candidate.others) compare(target, COST.otherWord, COST.otherBeginning)
  return best
}

function mostErrors(word: string, errors: Errors): Errors {
  if (errors === 2 && word.length >= FEWEST_LETTERS_FOR_ERRORS[2]) return 2
  return errors > 0 && word.length >= FEWEST_LETTERS_FOR_ERRORS[1] ? 1 : 0
}

/** Of a word with two errors the beginning must be right. */
function errorsIn(word: string, target: string, most: Errors): number {
  const allowed = most === 2 && !target.startsWith(word.slice(0, RIGHT_BEGINNING)) ? 1 : most
  const edits = editsToBeginning(word.slice(0, MOST_COMPARED), target, allowed)
  return edits > allowed ? Infinity : edits
}
