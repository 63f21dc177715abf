/**
 * What screens keep for Back and Forward, such as the rows of a table that were read, by entry of the history. Of the last few
 * entries alone, and in memory: a page that is loaded anew begins anew.
 */

import { location } from './location.svelte'

/** How many entries are remembered; each may hold thousands of rows. */
const MOST = 10

const cache = new Map<string, object>()

const present = (): string => `${location.visit} ${location.path}?${location.search}`

/** Keeps something of the screen for the present entry. */
export function keep(value: object): void {
  const key = present()
  cache.delete(key)
  cache.set(key, value)
  const [oldest] = cache.keys()
  if (cache.size > MOST && oldest !== undefined) cache.delete(oldest)
}

/** What a screen of the present entry kept, when it is of this class. */
export function recall<T extends object>(kind: abstract new (...args: never[]) => T): T | undefined {
  const value = cache.get(present())
  return value instanceof kind ? value : undefined
}
