/** Collects the records that the steps of a search find, each record once. */

import { matchingKey } from '#engine/attribute-types/definition/parse-value'
import type { RequestContext } from '#context'
import type { ObjectType } from '#engine/data-model/model'
import { ApiError, InvalidValue } from '#base/errors/api-error'
import { type Micros, microsFromPostgres } from '#base/timing/clock'
import type { Candidate } from './candidate'
import { type Errors, rankOf, SAME_KEY, SAME_LABEL } from './rank'
import type { SearchQuery } from './read-query'
import { keyAttribute } from './search-fields'

export interface RankedRecord {
  readonly object: ObjectType
  readonly id: string
  readonly createdAt: Micros
  /** Lower is better. */
  readonly rank: number
}

/** One search over one object. */
export interface ObjectSearch {
  readonly context: RequestContext
  readonly object: ObjectType
  readonly query: SearchQuery
  readonly limit: number
  readonly results: SearchResults
}

export interface SearchResults {
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
  object: ObjectType,
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

export const rankedRecord = (object: ObjectType, { id, createdAt }: Candidate, rank: number): RankedRecord => ({
  object,
  id,
  createdAt: microsFromPostgres(createdAt),
  rank,
})

/** The text as an email address or domain of the object; undefined when it is neither. */
function readKey({ model }: RequestContext, object: ObjectType, text: string): string | undefined {
  const attribute = keyAttribute(object)
  if (!attribute?.is_unique) return undefined
  try {
    return matchingKey(text, attribute, model)
  } catch (error) {
    if (error instanceof InvalidValue || error instanceof ApiError) return undefined
    throw error
  }
}
