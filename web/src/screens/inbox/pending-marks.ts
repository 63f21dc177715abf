/** The marks that the service has not confirmed. A page that was read before them does not undo them. */

import type { InboxPage, Notification } from '../../api/inbox/inbox'

type IsMarked = (one: Notification) => boolean

export class PendingMarks {
  readonly #marks = new Set<IsMarked>()

  /** Returns a function that ends the mark. */
  add(isMarked: IsMarked): () => void {
    this.#marks.add(isMarked)
    return () => void this.#marks.delete(isMarked)
  }

  /** The page with the marked notifications as read. */
  apply(page: InboxPage): InboxPage {
    if (this.#marks.size === 0) return page
    const read_at = new Date().toISOString()
    const isMarked = (one: Notification) => one.read_at === null && [...this.#marks].some((marks) => marks(one))
    return { ...page, data: page.data.map((one) => (isMarked(one) ? { ...one, read_at } : one)) }
  }
}
