/** The number of unread notifications, which the navigation shows. It follows comments and tasks, which cause them. */

import { readInbox } from '../api/inbox/inbox'
import type { ChangeEvent } from './change-events'
import { followEvents } from './follow-events'

export const mayNotify = ({ event_type }: ChangeEvent): boolean =>
  event_type.startsWith('comment.') || event_type.startsWith('task.')

class Unread {
  count = $state(0)
  #running = new AbortController()

  /** For use in an effect. */
  follow(): () => void {
    void this.#read()
    const stop = followEvents(mayNotify, () => this.#read())
    return () => {
      stop()
      this.#running.abort()
    }
  }

  /** A number that cannot be read stays what it was. */
  async #read(): Promise<void> {
    this.#running.abort()
    const { signal } = (this.#running = new AbortController())
    const page = await readInbox({ limit: 1 }, signal).catch(() => undefined)
    if (page && !signal.aborted) this.count = page.unread_count
  }
}

export const unread = new Unread()
