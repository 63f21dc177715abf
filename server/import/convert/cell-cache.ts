/** Caches the converted cells of one attribute, because options, places and years repeat from row to row. */

import { createLru } from '../../caching/lru'
import type { StoredCells } from './store-cells'

export interface CellCache {
  get(texts: string): StoredCells | undefined
  /** Returns `stored`. */
  set(texts: string, stored: StoredCells): StoredCells
}

const MAX_ENTRIES = 1000
/** Longer cells rarely repeat. */
const MAX_CHARACTERS = 200
/** The cache switches itself off when fewer than one in ten of so many lookups succeeded. */
const TRIAL_LOOKUPS = 2000

export function createCellCache(): CellCache {
  const entries = createLru<string, StoredCells>(MAX_ENTRIES)
  let lookups = 0
  let hits = 0
  const isUseful = () => lookups < TRIAL_LOOKUPS || hits * 10 >= lookups
  return {
    get(texts) {
      if (!isUseful()) return undefined
      if (++lookups === TRIAL_LOOKUPS && !isUseful()) entries.clear()
      const entry = entries.get(texts)
      if (entry) hits++
      return entry
    },
    set(texts, stored) {
      if (isUseful() && texts.length <= MAX_CHARACTERS) entries.set(texts, stored)
      return stored
    },
  }
}
