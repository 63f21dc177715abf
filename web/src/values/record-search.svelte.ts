/** The search for records of some objects and activities, by a query that changes with each letter. */

import { type FoundRecord, searchRecords } from '../api/records/search'

/** The delay before a search, so that not every letter sends a request. */
const PAUSE_MS = 150

export class RecordSearch {
  query = $state('')
  found = $state.raw<readonly FoundRecord[]>([])
  isSearching = $state(true)
  failure = $state<string | undefined>()
  readonly #objects: () => readonly string[]

  constructor(objects: () => readonly string[]) {
    this.#objects = objects
  }

  /** Searches for the query; for use in an effect. */
  follow(): () => void {
    const objects = this.#objects()
    const query = this.query.trim()
    const running = new AbortController()
    this.isSearching = true
    const timer = setTimeout(() => void this.#search(query, objects, running.signal), query === '' ? 0 : PAUSE_MS)
    return () => {
      clearTimeout(timer)
      running.abort()
    }
  }

  async #search(query: string, objects: readonly string[], signal: AbortSignal): Promise<void> {
    if (objects.length === 0) {
      this.isSearching = false
      return
    }
    try {
      const found = await searchRecords(query, objects, signal)
      if (signal.aborted) return
      this.found = found
      this.failure = undefined
    } catch (error) {
      if (signal.aborted) return
      this.found = []
      this.failure = error instanceof Error ? error.message : String(error)
    }
    this.isSearching = false
  }

  /** The text of an empty list. */
  get emptyText(): string {
    if (this.failure !== undefined) return `Couldn't search records: ${this.failure}`
    if (this.isSearching) return 'Searching…'
    return this.query.trim() === '' ? 'No records yet' : `No results for “${this.query}”`
  }
}
