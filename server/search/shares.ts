/**
 * How many of an object's records have a word. PostgreSQL's own statistics of the search index know it of the most common
 * words; so it is told beforehand which way of finding records is the shortest. Decisions 0032 and 0038.
 */

import { parseArray } from '../../db/connect'
import type { RequestContext } from '../context'
import type { ObjectType } from '../data-model/model'
import { runStatement } from '../query/run/run-statement'
import { searchIndex } from './searched'

/** Parts of all records, from 0 to 1; 0 for what is not among the most common words. */
export interface WordShares {
  /** How many records there are, about. */
  readonly records: number
  /** Of those that have this word. */
  of(word: string): number
  /** Of those that have words that begin so; one with two of them counts twice. */
  beginning(text: string): number
}

type Asking = Pick<RequestContext, 'db' | 'model' | 'indexes' | 'signal'>

const FRESH_FOR_MS = 60_000

interface Known {
  readonly shares: Promise<WordShares>
  readonly readAt: number
}

const known = new WeakMap<ObjectType, Known>()

/** As PostgreSQL last analysed them. */
export function wordSharesOf(context: Asking, object: ObjectType): Promise<WordShares> {
  const before = known.get(object)
  if (before && performance.now() - before.readAt < FRESH_FOR_MS) return before.shares
  const shares = read(context, object)
  known.set(object, { shares, readAt: performance.now() })
  shares.catch(() => known.delete(object))
  return shares
}

async function read(context: Asking, object: ObjectType): Promise<WordShares> {
  const records = (await context.indexes?.sizes.get(object.table)) ?? 0
  const text = `
    select most_common_elems::text, most_common_elem_freqs::text from pg_stats
    where schemaname = $1 and tablename = $2 and most_common_elems is not null`
  const schema = context.model.schema.replaceAll('"', '')
  const [row] = await runStatement(context, { text, parameters: [schema, searchIndex(object).name] })
  const [words, shares] = (row ?? ['{}', '{}']) as readonly string[] // selected as text
  return wordShares(records, wordsIn(words), wordsIn(shares).map(Number))
}

const wordsIn = (array: string | undefined): string[] => parseArray(array ?? '{}').flatMap((word) => word ?? [])

/** `shares` are those of `words`, in their order. */
export function wordShares(records: number, words: readonly string[], shares: readonly number[]): WordShares {
  const shareOf = new Map(words.map((word, index) => [word, shares[index] ?? 0]))
  const sorted = [...shareOf.keys()].sort()
  // Of all words before each, so that those between two places need not be gone through.
  const sums = [0]
  for (const [index, word] of sorted.entries()) sums.push((sums[index] ?? 0) + (shareOf.get(word) ?? 0))
  const before = (text: string): number => sums[positionOf(text, sorted)] ?? 0
  return {
    records,
    of: (word) => shareOf.get(word) ?? 0,
    beginning: (text) => before(`${text}${LAST_LETTER}`) - before(text),
  }
}

/** Sorts behind every letter. */
const LAST_LETTER = '\uffff'

/** How many words sort before the text. */
function positionOf(text: string, sorted: readonly string[]): number {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle] ?? '') < text) from = middle + 1
    else to = middle
  }
  return from
}

/** Whether the index takes longer to list all that have it than it takes to read enough of the newest. */
export const isShareCommon = (share: number, { records }: Pick<WordShares, 'records'>): boolean =>
  share >= LEAST_COMMON_SHARE && share * records >= COMMON_FROM

const LEAST_COMMON_SHARE = 0.03
const COMMON_FROM = 5000
