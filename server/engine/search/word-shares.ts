/**
 * The shares of an object's records that have a word, from PostgreSQL's statistics of the search index. The steps of a
 * search depend on them. See docs/decisions/search.md.
 */

import { parseArray } from '#db/connect'
import type { RequestContext } from '#context'
import type { RecordType } from '#engine/data-model/model'
import { runStatement } from '#engine/query/run/run-statement'
import { searchIndex } from './search-fields'

/** Shares are from 0 to 1. The share of a word that is not among the most common ones is 0. */
export interface WordShares {
  /** The estimated number of records. */
  readonly records: number
  /** The share of records that have this word. */
  shareOf(word: string): number
  /** The sum of the shares of all words with this prefix. A record with two of them counts twice. */
  shareOfPrefix(text: string): number
  /** Whether reading enough of the newest records is faster than listing this share of all records from the index. */
  isCommon(share: number): boolean
}

type Caller = Pick<RequestContext, 'db' | 'model' | 'indexes' | 'signal'>

const MAX_AGE_MS = 60_000

interface CachedShares {
  readonly shares: Promise<WordShares>
  readonly readAt: number
}

const cache = new WeakMap<RecordType, CachedShares>()

/** The shares of PostgreSQL's last analysis, cached for a minute. */
export function wordSharesOf(context: Caller, object: RecordType): Promise<WordShares> {
  const cached = cache.get(object)
  if (cached && performance.now() - cached.readAt < MAX_AGE_MS) return cached.shares
  const shares = readShares(context, object)
  cache.set(object, { shares, readAt: performance.now() })
  shares.catch(() => cache.delete(object))
  return shares
}

async function readShares(context: Caller, object: RecordType): Promise<WordShares> {
  const records = (await context.indexes?.sizes.get(object.table)) ?? 0
  const text = `
    select most_common_elems::text, most_common_elem_freqs::text from pg_stats
    where schemaname = $1 and tablename = $2 and most_common_elems is not null`
  const schema = context.model.schema.replaceAll('"', '')
  const [row] = await runStatement(context, { text, parameters: [schema, searchIndex(object).name] })
  const [words, shares] = (row ?? ['{}', '{}']) as readonly string[] // selected as text
  return createWordShares(records, wordsIn(words), wordsIn(shares).map(Number))
}

const wordsIn = (array: string | undefined): string[] => parseArray(array ?? '{}').flatMap((word) => word ?? [])

/** `shares` has the share of each of the `words`, in the same order. */
export function createWordShares(records: number, words: readonly string[], shares: readonly number[]): WordShares {
  const shareByWord = new Map(words.map((word, index) => [word, shares[index] ?? 0]))
  const sorted = [...shareByWord.keys()].sort()
  // The sum of the shares before each position. The sum between two positions is the difference.
  const sums = [0]
  for (const [index, word] of sorted.entries()) sums.push((sums[index] ?? 0) + (shareByWord.get(word) ?? 0))
  const sumBefore = (text: string): number => sums[positionOf(text, sorted)] ?? 0
  return {
    records,
    shareOf: (word) => shareByWord.get(word) ?? 0,
    shareOfPrefix: (text) => sumBefore(`${text}${LAST_LETTER}`) - sumBefore(text),
    isCommon: (share) => share >= MIN_COMMON_SHARE && share * records >= MIN_COMMON_RECORDS,
  }
}

/** Sorts after every letter. */
const LAST_LETTER = '\uffff'

/** The number of words that sort before the text. */
function positionOf(text: string, sorted: readonly string[]): number {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle] ?? '') < text) from = middle + 1
    else to = middle
  }
  return from
}

const MIN_COMMON_SHARE = 0.03
const MIN_COMMON_RECORDS = 5000
