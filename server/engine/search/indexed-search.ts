/** The state of a search over an object with a search index, which the steps of `search.ts` share. */

import type { SearchQuery } from './words'
import { alternativesOf, neighboursOfQuery, type Pair, pairsOf } from './tsquery'
import type { WordShares } from './word-shares'
import { matchingKey } from '#engine/attribute-types/definition/parse-value'
import type { RequestContext } from '#context'
import type { RecordType } from '#engine/data-model/model'
import { ApiError, InvalidValue } from '#base/errors/api-error'
import { type Micros, microsFromPostgres } from '#base/timing/clock'
import { type Candidate, type Errors, rankOf, SAME_KEY, SAME_LABEL } from './rank'
import { keyAttribute } from './search-fields'

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

// Estimates how many of the newest records contain enough matches. Reading those takes as long over a million records as over
// a thousand. See docs/decisions/search.md.

/** Above this count, listing the matches from the index is faster than reading the newest records. */
export const MAX_NEWEST_LABELS = 3000
const MIN_NEWEST = 250
/** Reads more records than the share requires, so that a page is seldom short. */
const MARGIN = 1.6

/**
 * How many of the newest records to compare for `limit` matches. `words` lists, for each typed word, the words that it may
 * stand for. Undefined when the index lists all matches sooner.
 */
function newestCountFor(
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

/** Collects the records that the steps of a search find, each record once. */
export interface RankedRecord {
  readonly object: RecordType
  readonly id: string
  readonly createdAt: Micros
  /** Lower is better. */
  readonly rank: number
}

/** One search over one object. */
export interface ObjectSearch {
  readonly context: RequestContext
  readonly object: RecordType
  readonly query: SearchQuery
  readonly limit: number
  readonly results: SearchResults
}

interface SearchResults {
  /** The query read as an email address or domain of the object; undefined when it is neither. */
  readonly key: string | undefined
  /** Adds the candidates that match with at most this many typing errors per word. */
  add(candidates: readonly Candidate[], errors: Errors): void
  /** Whether the search may end: there are as many records as asked for, or one has exactly the typed key or id. */
  isSufficient(): boolean
  isEmpty(): boolean
  /** Whether a record has exactly the typed key, id or label. */
  hasExact(): boolean
  all(): RankedRecord[]
}

export function createResults(
  context: RequestContext,
  object: RecordType,
  query: SearchQuery,
  limit: number,
): SearchResults {
  const found = new Map<string, RankedRecord>()
  const key = readKey(context, object, query.text)
  return {
    key,
    add(candidates, errors) {
      for (const candidate of candidates) {
        if (found.has(candidate.id)) continue
        const rank = rankOf(query, candidate, key, errors)
        if (rank !== undefined) found.set(candidate.id, rankedRecord(object, candidate, rank))
      }
    },
    isSufficient: () => found.size >= limit || found.values().some(({ rank }) => rank === SAME_KEY),
    isEmpty: () => found.size === 0,
    hasExact: () => found.values().some(({ rank }) => rank <= SAME_LABEL),
    all: () => [...found.values()],
  }
}

export const rankedRecord = (object: RecordType, { id, createdAt }: Candidate, rank: number): RankedRecord => ({
  object,
  id,
  createdAt: microsFromPostgres(createdAt),
  rank,
})

/** The text as an email address or domain of the object; undefined when it is neither. */
function readKey({ model }: RequestContext, object: RecordType, text: string): string | undefined {
  const attribute = keyAttribute(object)
  if (!attribute?.is_unique) return undefined
  try {
    return matchingKey(text, attribute, model)
  } catch (error) {
    if (error instanceof InvalidValue || error instanceof ApiError) return undefined
    throw error
  }
}
