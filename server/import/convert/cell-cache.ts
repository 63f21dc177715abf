/** Remembers what the cells of an attribute came to: choices, places and years repeat themselves from row to row. */

import { createLru } from '../../caching/lru'
import type { StoredCells } from './store-cells'

export interface CellCache {
  /** What cells with these texts came to before. */
  find(texts: string): StoredCells | undefined
  /** Gives back what it was given. */
  keep(texts: string, stored: StoredCells): StoredCells
}

const MOST_REMEMBERED = 1000
/** Longer cells hardly come again. */
const LONGEST_REMEMBERED = 200
/** When after so many cells fewer than one in ten came again, none is cache any more. */
const TRIED = 2000

export function createCellCache(): CellCache {
  const known = createLru<string, StoredCells>(MOST_REMEMBERED)
  let asked = 0
  let found = 0
  const isWorthIt = () => asked < TRIED || found * 10 >= asked
  return {
    find(texts) {
      if (!isWorthIt()) return undefined
      if (++asked === TRIED && !isWorthIt()) known.clear()
      const before = known.get(texts)
      if (before) found++
      return before
    },
    keep(texts, stored) {
      if (!isWorthIt() || texts.length > LONGEST_REMEMBERED) return stored
      known.set(texts, stored)
      return stored
    },
  }
}
