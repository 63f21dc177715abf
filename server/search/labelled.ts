/**
 * Records found by their labels alone, which is where what people type mostly is, and ranks before all other places. Two
 * ways take as long over a million records as over a thousand. Decision 0038.
 */

import type { RequestContext } from '../context'
import type { ObjectType } from '../data-model/model'
import type { Candidate } from './candidate'
import type { Errors } from './rank'
import type { SearchQuery } from './read-query'
import { isShareCommon, type WordShares } from './shares'
import { findLabelled, findNewestLabelled, MOST_LABELS } from './store'
import { beginnings, meanings, pairsOf, wholeWords, withErrors, withPairs } from './tsquery'

/** One object being looked through. */
export interface Looking {
  readonly context: RequestContext
  readonly object: ObjectType
  readonly query: SearchQuery
  readonly findings: LabelFindings
  readonly shares: WordShares
}

/** What was found so far. */
export interface LabelFindings {
  /** So many are asked for. */
  readonly limit: number
  add(candidates: readonly Candidate[], errors: Errors): void
  /** Whether no more need be found; whoever types a whole address means no other. */
  suffice(): boolean
}

/** Addresses, domains and numbers are looked for elsewhere as well, and rank first there. */
export const mayBeLabel = ({ text, terms, digits }: SearchQuery): boolean =>
  !/[.@]/.test(text) && digits.length === 0 && terms.every((term) => term.digits.length === 0)

/**
 * Records whose labels have words beginning with those typed, the very words before others. Gives whether others may have
 * them in another place.
 */
export async function addLabelled({ context, object, query, findings, shares }: Looking): Promise<boolean> {
  const words = query.terms.map(({ word }) => [word])
  const newest = newestWith(words, findings.limit, shares)
  if (newest !== undefined) {
    const veryShare = query.terms.reduce((product, { word }) => product * shares.of(word), 1)
    const withVeryWords = newestFor(veryShare, findings.limit)
    const isRare = withVeryWords > MOST_NEWEST
    const count = isRare ? newest : Math.max(newest, withVeryWords)
    findings.add(await findNewestLabelled(context, object, words, count), 0)
    if (findings.suffice() && isRare) findings.add(await findLabelled(context, object, wholeWords(query)), 0)
    if (findings.suffice()) return true
  }
  const pairs = pairsOf(words)
  if (newest !== undefined && pairs.length === 0) return true
  const isCommon = (word: string) => isShareCommon(shares.of(word), shares)
  const found = await findLabelled(context, object, pairs.length > 0 ? withPairs(pairs) : beginnings(query, isCommon))
  findings.add(found, 0)
  if (found.length === MOST_LABELS) {
    const veryWords = [withPairs(pairs), wholeWords(query)].filter((part) => part !== '').join(' & ')
    findings.add(await findLabelled(context, object, veryWords), 0)
  }
  // Beginnings were looked for in all places.
  return pairs.length > 0 || found.length > 0
}

/** The same with one error in any of the words; `known` are those that they may have been meant to be. */
export async function addMeantLabels(
  { context, object, query, findings, shares }: Looking,
  known: ReadonlySet<string>,
): Promise<void> {
  const meant = meanings(query, known)
  const newest = newestWith(meant, findings.limit, shares)
  if (newest !== undefined) findings.add(await findNewestLabelled(context, object, meant, newest), 1)
  if (findings.suffice()) return
  const pairs = pairsOf(meant)
  if (newest !== undefined && pairs.length === 0) return
  const tsquery = pairs.length > 0 ? withPairs(pairs) : withErrors(query, known)
  findings.add(await findLabelled(context, object, tsquery), 1)
}

/** Of more, as the index lists them all, reading takes longer. */
const MOST_NEWEST = 3000

/** How many of the newest have enough matches; undefined when the index lists all matches sooner. */
function newestWith(
  words: readonly (readonly string[])[],
  limit: number,
  { records, of, beginning }: WordShares,
): number | undefined {
  const sum = (texts: readonly string[], shareOf: (text: string) => number) =>
    texts.reduce((total, text) => total + shareOf(text), 0)
  const asWords = words.reduce((product, each) => product * Math.min(1, sum(each, beginning)), 1)
  // Words that come together more often than by chance.
  const asPairs = pairsOf(words).map((each) => sum(each, of))
  const share = Math.max(asWords, asPairs.length > 0 ? Math.min(...asPairs) : 0)
  const newest = newestFor(share, limit)
  return newest <= MOST_NEWEST && newest <= share * records ? newest : undefined
}

/** So many of the newest records have some more matches than are asked for, when this share of all have them. */
export const newestFor = (share: number, limit: number): number =>
  Math.max(FEWEST_NEWEST, Math.ceil((1.6 * limit) / share))

const FEWEST_NEWEST = 250
