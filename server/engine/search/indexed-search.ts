/** The state of a search over an object with a search index, which the steps of `plan.ts` share. */

import { newestCountFor } from './newest-count'
import type { SearchQuery } from './read-query'
import type { ObjectSearch } from './search-results'
import { alternativesOf, neighboursOfQuery, pairsOf, type Pair } from './tsquery'
import type { WordShares } from './word-shares'

export interface IndexedSearch extends ObjectSearch {
  readonly shares: WordShares
  /** Whether labels may match best. Addresses, domains and numbers rank first in other texts. */
  readonly isLabelQuery: boolean
  readonly labels: LabelLookup
  typos(): Typos
  /** Whether no record has all the prefixes. A step over all texts sets it. */
  arePrefixesAbsent: boolean
}

/** How labels with these words are found. */
interface LabelLookup {
  /** For each typed word, the words that it may stand for. */
  readonly words: readonly (readonly string[])[]
  readonly pairs: readonly (readonly Pair[])[]
  /** How many of the newest records contain enough matches; undefined when the index lists all matches sooner. */
  readonly newestCount: number | undefined
}

/** The words one typing error away from the typed ones. */
interface Typos {
  /** Those that are among the object's most common words. */
  readonly common: ReadonlySet<string>
  readonly others: readonly string[]
  /** How labels with a common one are found; undefined without one. */
  readonly labels: LabelLookup | undefined
}

export function createIndexedSearch(search: ObjectSearch, shares: WordShares): IndexedSearch {
  const { query, limit } = search
  let typos: Typos | undefined
  return {
    ...search,
    shares,
    isLabelQuery: isLabelQuery(query),
    labels: labelLookup(
      query.terms.map(({ word }) => [word]),
      limit,
      shares,
    ),
    typos: () => (typos ??= findTypos(query, limit, shares)),
    arePrefixesAbsent: false,
  }
}

export const isCommonWord =
  ({ shares }: Pick<IndexedSearch, 'shares'>) =>
  (word: string): boolean =>
    shares.isCommon(shares.shareOf(word))

const isLabelQuery = ({ text, terms, digits }: SearchQuery): boolean =>
  !/[.@]/.test(text) && digits.length === 0 && terms.every((term) => term.digits.length === 0)

const labelLookup = (words: readonly (readonly string[])[], limit: number, shares: WordShares): LabelLookup => ({
  words,
  pairs: pairsOf(words),
  newestCount: newestCountFor(words, limit, shares),
})

function findTypos(query: SearchQuery, limit: number, shares: WordShares): Typos {
  const neighbours = neighboursOfQuery(query)
  const common = new Set(neighbours.filter((word) => shares.shareOfPrefix(word) > 0))
  return {
    common,
    others: neighbours.filter((word) => !common.has(word)),
    labels: common.size > 0 ? labelLookup(alternativesOf(query, common), limit, shares) : undefined,
  }
}
