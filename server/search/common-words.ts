/**
 * Words that so many records have that an index takes longer to list them than the newest records take to be read.
 * PostgreSQL's own statistics of the search index know them. Decision 0032.
 */

import { parseArray } from '../../db/connect'
import type { Call } from '../call'
import type { ObjectOwner } from '../data-model/model'
import { runStatement } from '../query/run'
import { searchIndex } from './searched'

export interface CommonWords {
  /** Whether very many records have this word. */
  has(word: string): boolean
  /** Whether very many records have a word that begins so. */
  hasBeginning(beginning: string): boolean
}

type Asking = Pick<Call, 'db' | 'model' | 'indexes' | 'signal'>

/** In so many records a word is common. */
const COMMON_FROM = 30_000
const FRESH_FOR_MS = 60_000

interface Known {
  readonly words: Promise<CommonWords>
  readonly readAt: number
}

const known = new WeakMap<ObjectOwner, Known>()

/** As PostgreSQL last analysed them. `from` is how many records make a word common. */
export function commonWordsOf(call: Asking, object: ObjectOwner, from = COMMON_FROM): Promise<CommonWords> {
  const before = known.get(object)
  if (before && performance.now() - before.readAt < FRESH_FOR_MS) return before.words
  const words = read(call, object, from)
  known.set(object, { words, readAt: performance.now() })
  words.catch(() => known.delete(object))
  return words
}

async function read(call: Asking, object: ObjectOwner, from: number): Promise<CommonWords> {
  const records = (await call.indexes?.sizes.get(object.table)) ?? 0
  if (records < from) return NONE
  const text = `
    select most_common_elems::text, most_common_elem_freqs::text from pg_stats
    where schemaname = $1 and tablename = $2 and most_common_elems is not null`
  const schema = call.model.schema.replaceAll('"', '')
  const [row] = await runStatement(call, { text, parameters: [schema, searchIndex(object).name] })
  const [words, shares] = (row ?? ['{}', '{}']) as readonly string[] // selected as text
  return commonWords(wordsIn(words), wordsIn(shares).map(Number), from / records)
}

const wordsIn = (array: string | undefined): string[] => parseArray(array ?? '{}').flatMap((word) => word ?? [])

const NONE: CommonWords = { has: () => false, hasBeginning: () => false }

/** `shares` are the parts of all records that have each word; from `least` on it is common. */
export function commonWords(words: readonly string[], shares: readonly number[], least: number): CommonWords {
  const all = words.map((word, index) => ({ word, share: shares[index] ?? 0 }))
  const common = new Set(all.filter(({ share }) => share >= least).map(({ word }) => word))
  return {
    has: (word) => common.has(word),
    hasBeginning(beginning) {
      const shareOf = all.filter(({ word }) => word.startsWith(beginning)).reduce((sum, { share }) => sum + share, 0)
      return shareOf >= least
    },
  }
}
