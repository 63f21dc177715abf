/** Ranks how well a record matches a query. See docs/reference/search.md (The order of hits); docs/decisions/search.md. */

import { handleOf, type SearchQuery, type Term, wordsOf } from './words'
import { CELL_SEPARATOR } from '#db/connect'
import type { Row } from '#engine/storage/layout'
import type { SearchFields } from './search-fields'
import { editDistances } from '#base/text/find-closest'

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

/** The parts of a record that a search compares. */
export interface Candidate {
  readonly id: string
  /** In PostgreSQL's text form. */
  readonly createdAt: string
  /** The words of its label. */
  readonly label: readonly string[]
  /** The words of all other searched texts. They are split on first use. */
  readonly others: readonly string[]
  /** Whole email addresses or domains. */
  readonly keys: readonly string[]
  /** In E.164 without the plus. */
  readonly phoneNumbers: readonly string[]
}

/** The select list, with the same length limits as in the index. The texts of an array are one text, which is cheaper to read. */
export const candidateColumns = ({ label, keys, handles, phoneNumbers }: SearchFields): string =>
  [
    'h.id, h.created_at',
    `left(${label}, 500)`,
    joinedSql(`(${keys})[1:100]`),
    joinedSql(`(${handles})[1:20]`),
    joinedSql(`(${phoneNumbers})[1:100]`),
  ].join(', ')

/** The select list for a comparison of labels only: `id`, `created_at` and `label`. */
export const labelColumns = ({ label }: Pick<SearchFields, 'label'>): string =>
  `h.id, h.created_at, left(${label}, 500) as label`

const joinedSql = (array: string): string => `array_to_string(${array}, E'\\x1f')`

type Cell = string | null
type Columns = readonly [id: string, createdAt: string, label: Cell, keys?: Cell, handles?: Cell, phoneNumbers?: Cell]

export function candidateFrom(row: Row): Candidate {
  const [id, createdAt, label, keys, handles, phoneNumbers] = row as Columns // in the order of `candidateColumns`
  let others: string[] | undefined
  return {
    id,
    createdAt,
    label: wordsOf(label ?? ''),
    get others() {
      others ??= wordsOf([...splitCells(keys), ...splitCells(handles).map(handleOf)].join(' '))
      return others
    },
    get keys() {
      return splitCells(keys)
    },
    get phoneNumbers() {
      return splitCells(phoneNumbers).map((number) => number.slice(1))
    },
  }
}

const splitCells = (texts: Cell | undefined): string[] => (texts ? texts.split(CELL_SEPARATOR) : [])

// The edit distance between a typed word and the words of records.

/** Letters of a typed word after these are not compared for errors. */
export const MAX_COMPARED_LETTERS = 16

const ALPHABETS = [
  { of: /[a-z0-9]/, letters: 'abcdefghijklmnopqrstuvwxyz0123456789' },
  { of: /[а-я]/, letters: 'абвгдежзийклмнопрстуфхцчшщъыьэюя' },
  { of: /[α-ω]/, letters: 'αβγδεζηθικλμνξοπρστυφχψω' },
]

/** Every word that differs from the given one by an added, missing or changed letter, or by two adjacent letters swapped. */
export function oneEditAway(word: string): Set<string> {
  const letters = [...word]
  const alphabet = ALPHABETS.filter(({ of }) => of.test(word)).flatMap((each) => [...each.letters])
  const found = new Set<string>()
  for (let index = 0; index < letters.length; index++) {
    const [before, [letter = '', next = '', ...after]] = [letters.slice(0, index).join(''), letters.slice(index)]
    const rest = next + after.join('')
    found.add(before + rest)
    if (next !== '') found.add(before + next + letter + after.join(''))
    for (const other of alphabet) {
      found.add(before + other + rest)
      found.add(before + other + letter + rest)
    }
  }
  found.delete(word)
  return found
}

/** The least number of edits that make `word` a prefix of `target`. The result is exact up to `max`. */
export function editsToPrefix(word: string, target: string, max: 0 | 1 | 2): number {
  if (target.startsWith(word)) return 0
  if (max >= 1 && isOneEditFromPrefix(word, target)) return 1
  return max === 2 ? Math.min(...editDistances([...word], [...target].slice(0, word.length + max))) : max + 1
}

/** Whether one edit right after the common prefix makes the rest of `word` a prefix of the rest of `target`. */
function isOneEditFromPrefix(word: string, target: string): boolean {
  let common = 0
  while (word[common] === target[common]) common++
  const fits = (ofWord: number, ofTarget: number) => target.startsWith(word.slice(common + ofWord), common + ofTarget)
  const isSwapped = word[common] === target[common + 1] && word[common + 1] === target[common]
  return fits(1, 1) || fits(1, 0) || fits(0, 1) || (isSwapped && fits(2, 2))
}
