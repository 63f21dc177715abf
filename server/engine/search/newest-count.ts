/**
 * Estimates how many of the newest records contain enough matches. Reading those takes as long over a million records as over
 * a thousand. See docs/decisions/search.md.
 */

import { pairsOf } from './tsquery'
import type { WordShares } from './word-shares'

/** Above this count, listing the matches from the index is faster than reading the newest records. */
export const MAX_NEWEST_LABELS = 3000
const MIN_NEWEST = 250
/** Reads more records than the share requires, so that a page is seldom short. */
const MARGIN = 1.6

/**
 * How many of the newest records to compare for `limit` matches. `words` lists, for each typed word, the words that it may
 * stand for. Undefined when the index lists all matches sooner.
 */
export function newestCountFor(
  words: readonly (readonly string[])[],
  limit: number,
  { records, shareOf, shareOfPrefix }: WordShares,
): number | undefined {
  const sum = (texts: readonly string[], share: (text: string) => number) =>
    texts.reduce((total, text) => total + share(text), 0)
  const asWords = words.reduce((product, each) => product * Math.min(1, sum(each, shareOfPrefix)), 1)
  // Some words occur together more often than by chance. Their pairs show it.
  const asPairs = pairsOf(words).map((each) => sum(each, shareOf))
  const share = Math.max(asWords, asPairs.length > 0 ? Math.min(...asPairs) : 0)
  const count = newestCountOfShare(share, limit)
  return count <= MAX_NEWEST_LABELS && count <= share * records ? count : undefined
}

/** How many of the newest records contain somewhat more than `limit` matches, when this share of all records matches. */
export const newestCountOfShare = (share: number, limit: number): number =>
  Math.max(MIN_NEWEST, Math.ceil((MARGIN * limit) / share))
