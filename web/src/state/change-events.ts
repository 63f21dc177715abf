/**
 * The workspace's change events, for all screens of this tab by one connection: a browser opens six to a host, and each tab
 * has some. A tab that nobody sees has none. Events carry ids, so that what changed is read anew by those who show it.
 */

import { credentials } from '../api/client'
import type { ApiError } from '../api/errors'
import { followStream } from '../api/event-stream'

export interface ChangeEvent {
  readonly event_type: string
  readonly id: Readonly<Record<string, string>>
  readonly parent_record_id?: string | null
}

export interface ChangeListener {
  onevent(event: ChangeEvent): void
  /** Events may have been missed: what is shown is to be read anew. */
  onmissed(): void
}

const TYPES = [
  ...['created', 'updated', 'deleted', 'merged'].map((what) => `record.${what}`),
  ...['created', 'updated', 'deleted'].map((what) => `list-entry.${what}`),
  ...['created', 'updated', 'deleted'].map((what) => `list.${what}`),
  ...['object-attribute', 'list-attribute'].flatMap((kind) => [`${kind}.created`, `${kind}.updated`]),
]
const PATH = `/events/stream?event_type=${TYPES.join(',')}`

/** From one screen to the next the connection stays. */
const CLOSE_AFTER_MS = 5000

class ChangeEvents {
  readonly #listeners = new Set<ChangeListener>()
  readonly #attending = new Set<ChangeListener>()
  #connection: AbortController | undefined
  #workspaceId: string | null = null
  #closing: ReturnType<typeof setTimeout> | undefined

  constructor() {
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) this.#disconnect()
      else this.#connect()
    })
  }

  /** Hears of what is told anyway, and asks for no connection. */
  attend(listener: ChangeListener): () => void {
    this.#attending.add(listener)
    return () => this.#attending.delete(listener)
  }

  /** Hears of every change until the answer is called; for use in an effect. */
  follow(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    clearTimeout(this.#closing)
    if (this.#workspaceId !== credentials.workspaceId) this.#disconnect()
    this.#connect()
    return () => {
      this.#listeners.delete(listener)
      clearTimeout(this.#closing)
      if (this.#listeners.size === 0) this.#closing = setTimeout(() => this.#disconnect(), CLOSE_AFTER_MS)
    }
  }

  #connect(): void {
    if (this.#connection || document.hidden || this.#listeners.size === 0) return
    const connection = new AbortController()
    this.#connection = connection
    this.#workspaceId = credentials.workspaceId
    let hasPlace = false
    const listener = {
      // Without an event there is no place in the feed to go on from.
      onopen: () => {
        if (!hasPlace) this.#each((each) => each.onmissed())
      },
      onmessage: ({ data }: { data: string }) => {
        hasPlace = true
        const { event }: { event: ChangeEvent } = JSON.parse(data) // as the service's schema says
        this.#each((each) => each.onevent(event))
      },
      onbreak: () => {},
      onrefused: ({ status }: ApiError) => {
        const isExpired = status === 410
        if (isExpired && this.#connection === connection) {
          this.#disconnect()
          this.#connect()
        }
      },
    }
    void followStream(PATH, listener, connection.signal)
  }

  #disconnect(): void {
    this.#connection?.abort()
    this.#connection = undefined
  }

  #each(tell: (listener: ChangeListener) => void): void {
    for (const listener of this.#listeners) tell(listener)
    for (const listener of this.#attending) tell(listener)
  }
}

export const changeEvents = new ChangeEvents()
