/** Notes as a list shows them: pages, the latest note first, which follow the changes of other people. */

import { type ApiError, toApiError } from '../../../api/errors'
import { listNotes, type NoteItem, type NoteQuery } from '../../../api/notes/notes'
import { changeEvents } from '../../../state/change-events'

const PAGE_SIZE = 50
/** As many are read again after a change. */
const MAX_REFRESHED = 200

/** Events that arrive together cause one request. */
const BATCH_MS = 200

export class NotesList {
  notes = $state.raw<readonly NoteItem[] | undefined>()
  error = $state.raw<ApiError | undefined>()
  isLoading = $state(false)
  #nextCursor = $state<string | null>(null)
  readonly #query: () => NoteQuery
  #running: AbortController | undefined

  readonly hasMore: boolean = $derived(this.#nextCursor !== null)

  constructor(query: () => NoteQuery) {
    this.#query = query
  }

  /** Reads the notes of the query, and again when it changes; for use in an effect. */
  readonly follow = (): (() => void) => {
    const query = this.#query()
    const read = () => this.#read(query, { limit: Math.min(Math.max(this.notes?.length ?? 0, PAGE_SIZE), MAX_REFRESHED) })
    let timer: ReturnType<typeof setTimeout> | undefined
    const refresh = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        void read()
      }, BATCH_MS)
    }
    void this.#read(query, { limit: PAGE_SIZE })
    const stop = changeEvents.follow({
      onevent: ({ event_type, parent_record_id }) => {
        const isHere = query.record_id === undefined || parent_record_id === query.record_id
        if (event_type.startsWith('note') && isHere) refresh()
      },
      onmissed: refresh,
    })
    return () => {
      clearTimeout(timer)
      stop()
      this.#running?.abort()
    }
  }

  /** Tries again after an error. */
  retry(): Promise<void> {
    return this.#read(this.#query(), { limit: PAGE_SIZE })
  }

  async more(): Promise<void> {
    if (this.#nextCursor === null || this.isLoading) return
    await this.#read(this.#query(), { limit: PAGE_SIZE, cursor: this.#nextCursor })
  }

  async #read(query: NoteQuery, page: { readonly limit: number; readonly cursor?: string }): Promise<void> {
    this.#running?.abort()
    const running = new AbortController()
    this.#running = running
    this.isLoading = true
    try {
      const { data, next_cursor } = await listNotes({ ...query, ...page }, running.signal)
      if (running.signal.aborted) return
      this.notes = page.cursor === undefined ? data : [...(this.notes ?? []), ...data]
      this.#nextCursor = next_cursor
      this.error = undefined
    } catch (error) {
      if (running.signal.aborted) return
      this.error = toApiError(error)
    }
    this.isLoading = false
  }
}
