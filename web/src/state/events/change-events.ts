/**
 * The change events of the workspace. All screens of a tab share one connection, and a hidden tab has none, because a browser
 * opens at most six connections to a host over HTTP/1.1. Events contain only ids: a listener reads the changed records.
 */

import { credentials } from '../../api/client'
import type { ApiError } from '../../api/errors'
import { followStream } from '../../api/event-stream'
import type { Actor } from '../../api/records/entities'

export interface ChangeEvent {
  readonly event_type: string
  readonly id: Readonly<Record<string, string>>
  /** Of entries and notes. */
  readonly parent_record_id?: string | null
  readonly actor?: Actor
  /** Of comments. The entry is null for a comment on a record. */
  readonly record_id?: string | null
  readonly entry_id?: string | null
  /** Of merges. */
  readonly duplicate_record_id?: string | null
}

export interface ChangeListener {
  onevent(event: ChangeEvent): void
  /** Events may have been missed, so the listener reads again what it shows. */
  onmissed(): void
}

const TYPES = [
  ...['created', 'updated', 'deleted', 'merged'].map((what) => `record.${what}`),
  ...['activity-record', 'activity', 'list-entry'].flatMap((kind) =>
    ['created', 'updated', 'deleted'].map((what) => `${kind}.${what}`),
  ),
  ...['created', 'updated', 'deleted'].map((what) => `list.${what}`),
  'note-content.updated',
  ...['created', 'updated', 'deleted'].map((what) => `note.${what}`),
  ...['created', 'updated', 'deleted', 'resolved', 'unresolved'].map((what) => `comment.${what}`),
  ...['created', 'updated', 'deleted'].map((what) => `task.${what}`),
  'call-recording.created',
  ...['object-attribute', 'activity-attribute', 'list-attribute'].flatMap((kind) => [
    `${kind}.created`,
    `${kind}.updated`,
  ]),
]
const PATH = `/events/stream?event_type=${TYPES.join(',')}`

/** The connection stays open while one screen follows another. */
const CLOSE_AFTER_MS = 5000

/** The first connection of a page continues after the cursor of the session, unless so many events may follow that reading again is less work. */
const MAX_CURSOR_AGE_MS = 30_000

class ChangeEvents {
  readonly #listeners = new Set<ChangeListener>()
  readonly #observers = new Set<ChangeListener>()
  #connection: AbortController | undefined
  #workspaceId: string | null = null
  #closing: ReturnType<typeof setTimeout> | undefined
  #start: { readonly cursor: string; readonly at: number } | undefined

  constructor() {
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) this.#disconnect()
      else this.#connect()
    })
  }

  /** All that is read from now on has the changes up to this cursor. */
  startAfter(cursor: string | null): void {
    this.#start = cursor === null ? undefined : { cursor, at: performance.now() }
  }

  /** Listens while there is a connection, and opens none. */
  observe(listener: ChangeListener): () => void {
    this.#observers.add(listener)
    return () => this.#observers.delete(listener)
  }

  /** Listens to every event, and returns the function that ends it; for use in an effect. */
  follow(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    clearTimeout(this.#closing)
    if (this.#workspaceId !== credentials.workspaceId()) this.#disconnect()
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
    this.#workspaceId = credentials.workspaceId()
    const start = this.#start
    this.#start = undefined
    const cursor = start && performance.now() - start.at < MAX_CURSOR_AGE_MS ? start.cursor : undefined
    let hasCursor = cursor !== undefined
    const listener = {
      // A connection without a cursor begins with the next event; one that breaks later continues after the last event.
      onopen: () => {
        if (!hasCursor) this.#each((each) => each.onmissed())
      },
      onmessage: ({ data }: { data: string }) => {
        hasCursor = true
        const { event }: { event: ChangeEvent } = JSON.parse(data) // the shape follows the schema of the service
        this.#each((each) => each.onevent(event))
      },
      ondisconnect: () => {},
      onrefused: ({ status }: ApiError) => {
        if (this.#connection !== connection) return
        this.#disconnect()
        if (status === 410) this.#connect() // the cursor expired
      },
    }
    void followStream(PATH, listener, connection.signal, cursor)
  }

  #disconnect(): void {
    this.#connection?.abort()
    this.#connection = undefined
  }

  #each(call: (listener: ChangeListener) => void): void {
    for (const listener of this.#listeners) call(listener)
    for (const listener of this.#observers) call(listener)
  }
}

export const changeEvents = new ChangeEvents()
