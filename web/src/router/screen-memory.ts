/**
 * What a screen restores when its history entry is shown again by Back or Forward, such as the rows that a table has read. The
 * memory holds the last few entries until the page is reloaded.
 */

import { location } from './location.svelte'

/** Each entry may hold thousands of rows. */
const MAX_ENTRIES = 10

const memory = new Map<string, object>()

const currentKey = (): string => `${location.entryId} ${location.path}?${location.search}`

/** Remembers an object for the current history entry. */
export function remember(value: object): void {
  const key = currentKey()
  memory.delete(key)
  memory.set(key, value)
  const [oldest] = memory.keys()
  if (memory.size > MAX_ENTRIES && oldest !== undefined) memory.delete(oldest)
}

/** The object that was remembered for the current history entry, if it is of this class. */
export function recall<T extends object>(kind: abstract new (...args: never[]) => T): T | undefined {
  const value = memory.get(currentKey())
  return value instanceof kind ? value : undefined
}
