/** Pages of a list that grows at its beginning. */

export interface Page<T> {
  readonly items: readonly T[]
  /** Null at the end of the list. */
  readonly nextCursor: string | null
}

interface Item {
  readonly id: string
}

/** The items shown, with a page of older ones below them. */
export function withOlder<T extends Item>(shown: Page<T>, older: Page<T>): Page<T> {
  const ids = new Set(shown.items.map(({ id }) => id))
  return { items: [...shown.items, ...older.items.filter(({ id }) => !ids.has(id))], nextCursor: older.nextCursor }
}

/**
 * The items shown, with the first page as it is now. Items of it that were removed are left out. When the page has nothing in
 * common with the items shown, there may be a gap between them, and the page replaces them all.
 */
export function withNewest<T extends Item>(shown: Page<T>, newest: Page<T>): Page<T> {
  if (newest.nextCursor === null) return newest
  const ids = new Set(newest.items.map(({ id }) => id))
  const lastCommon = shown.items.findLastIndex(({ id }) => ids.has(id))
  if (lastCommon === -1) return newest
  const older = shown.items.slice(lastCommon + 1)
  return older.length === 0 ? newest : { items: [...newest.items, ...older], nextCursor: shown.nextCursor }
}
