/** Notes as a list shows them, the latest first. The list follows the changes of other people. */

import { type ApiError, toApiError } from '../../../api/errors'
import { listNotes, type Note, NOTES_PAGE, type NoteQuery } from '../../../api/notes/notes'
import type { ChangeEvent } from '../../../state/events/change-events'
import { followEvents } from '../../../state/events/follow-events'

export class NotesList {
  notes = $state.raw<readonly Note[] | undefined>()
  error = $state.raw<ApiError | undefined>()
  isLoading = $state(false)
  hasMore = $state(false)
  readonly #query: () => NoteQuery
  #pages = 1
  #running: AbortController | undefined

  constructor(query: () => NoteQuery) {
    this.#query = query
  }

  /** Reads the notes of the query, and again when they or the query change; for use in an effect. */
  readonly follow = (): (() => void) => {
    const query = this.#query()
    this.#pages = 1
    void this.#read(query)
    const isHere = ({ event_type, parent_record_id }: ChangeEvent) =>
      event_type.startsWith('note') &&
      (query.parent_record_id === undefined || parent_record_id === query.parent_record_id)
    const stop = followEvents(isHere, () => this.#read(query))
    return () => {
      stop()
      this.#running?.abort()
    }
  }

  /** Tries again after an error. */
  retry(): Promise<void> {
    return this.#read(this.#query())
  }

  showMore(): Promise<void> {
    this.#pages += 1
    return this.#read(this.#query())
  }

  async #read(query: NoteQuery): Promise<void> {
    this.#running?.abort()
    const running = new AbortController()
    this.#running = running
    this.isLoading = true
    try {
      const offsets = Array.from({ length: this.#pages }, (_, page) => page * NOTES_PAGE)
      const pages = await Promise.all(offsets.map((offset) => listNotes(query, offset, running.signal)))
      if (running.signal.aborted) return
      this.notes = withoutRepeated(pages.flat())
      this.hasMore = pages.at(-1)?.length === NOTES_PAGE
      this.error = undefined
    } catch (error) {
      if (running.signal.aborted) return
      this.error = toApiError(error)
    }
    this.isLoading = false
  }
}

/** A note that was created between the requests moves others to the next page. */
const withoutRepeated = (notes: readonly Note[]): Note[] => [
  ...new Map(notes.map((note) => [note.id.note_id, note])).values(),
]
