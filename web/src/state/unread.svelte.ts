/** The number of unread notifications, which the navigation shows. It follows comments and tasks, which cause them. */

import { readInbox } from '../api/inbox/inbox'
import type { ChangeEvent } from './events/change-events'
import { followEvents } from './events/follow-events'

export const mayNotify = ({ event_type }: ChangeEvent): boolean =>
  event_type.startsWith('comment.') || event_type.startsWith('task.')

class Unread {
  count = $state(0)
  #pauses = 0
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

  /** A screen that reads the inbox sets the number itself until it calls the returned function. */
  pause(): () => void {
    this.#pauses += 1
    return () => {
      this.#pauses -= 1
      void this.#read() // the screen may have stopped before it read the last events
    }
  }

  /** A number that cannot be read stays what it was. */
  async #read(): Promise<void> {
    this.#running.abort()
    if (this.#pauses > 0) return
    const { signal } = (this.#running = new AbortController())
    const page = await readInbox({ limit: 1 }, signal).catch(() => undefined)
    if (page && !signal.aborted) this.count = page.unread_count
  }
}

export const unread = new Unread()
