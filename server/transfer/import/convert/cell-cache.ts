/** Caches the converted cells of one attribute, because options, places and years repeat from row to row. */

import type { StoredCells } from './store-cells'

export interface CellCache {
  get(texts: string): StoredCells | undefined
  /** Returns `stored`. */
  set(texts: string, stored: StoredCells): StoredCells
}

/** Two generations have at most twice as many entries. */
const MAX_ENTRIES = 1000
/** Longer cells rarely repeat. */
const MAX_CHARACTERS = 200
/** The cache switches itself off when fewer than one in ten of so many lookups succeeded. */
const TRIAL_LOOKUPS = 2000

export function createCellCache(): CellCache {
  // Unlike an LRU, two generations cost no write for an entry that is used again.
  let recent = new Map<string, StoredCells>()
  let older = new Map<string, StoredCells>()
  let lookups = 0
  let hits = 0
  const isUseful = () => lookups < TRIAL_LOOKUPS || hits * 10 >= lookups
  const count = (entry: StoredCells): StoredCells => {
    hits++
    return entry
  }
  const add = (texts: string, stored: StoredCells): StoredCells => {
    if (recent.size === MAX_ENTRIES) {
      older = recent
      recent = new Map()
    }
    recent.set(texts, stored)
    return stored
  }
  return {
    get(texts) {
      if (!isUseful()) return undefined
      if (++lookups === TRIAL_LOOKUPS && !isUseful()) recent = older = new Map()
      const entry = recent.get(texts)
      if (entry) return count(entry)
      const olderEntry = older.get(texts)
      return olderEntry && count(add(texts, olderEntry))
    },
    set: (texts, stored) => (isUseful() && texts.length <= MAX_CHARACTERS ? add(texts, stored) : stored),
  }
}
