/** The numbers of comments on the entries that a list shows. Numbers that are needed at the same time are read together. */

import { getContext, setContext } from 'svelte'
import { SvelteMap } from 'svelte/reactivity'
import { countEntryComments, MAX_COUNTED } from '../../api/comments/comments'
import { location } from '../../router/location.svelte'
import { changeEvents } from '../../state/change-events'

const PAUSE_MS = 50

const KEY = Symbol('comments on entries')

/** For the cards and rows of a list. */
export const provideEntryComments = (comments: EntryComments): EntryComments => setContext(KEY, comments)

/** Undefined outside of lists. */
export const findEntryComments = (): EntryComments | undefined => getContext<EntryComments | undefined>(KEY)

export class EntryComments {
  readonly list: string
  readonly #counts = new SvelteMap<string, number>()
  readonly #requested = new Set<string>()
  readonly #pending = new Set<string>()

  /** `list` is the slug. */
  constructor(list: string) {
    this.list = list
  }

  /** Zero until the number is read. */
  countOf(entryId: string): number {
    if (!this.#requested.has(entryId)) this.#request(entryId)
    return this.#counts.get(entryId) ?? 0
  }

  /** For use in an effect. */
  follow(): () => void {
    return changeEvents.follow({
      onevent: ({ event_type, entry_id }) => {
        const isKnown = entry_id != null && this.#requested.has(entry_id)
        if (isKnown && event_type.startsWith('comment.')) this.#request(entry_id)
      },
      onmissed: () => {
        for (const id of this.#requested) this.#request(id)
      },
    })
  }

  /** The comments of an entry are open while the search has its id. */
  open(entryId: string): void {
    location.setSearch({ comments: entryId }, { replace: false })
  }

  #request(entryId: string): void {
    this.#requested.add(entryId)
    if (this.#pending.size === 0) setTimeout(() => this.#readPending(), PAUSE_MS)
    this.#pending.add(entryId)
  }

  #readPending(): void {
    const ids = [...this.#pending]
    this.#pending.clear()
    for (let at = 0; at < ids.length; at += MAX_COUNTED) void this.#read(ids.slice(at, at + MAX_COUNTED))
  }

  /** A number that cannot be read stays what it was. */
  async #read(ids: readonly string[]): Promise<void> {
    const counts = await countEntryComments(this.list, ids).catch(() => undefined)
    if (counts) for (const id of ids) this.#counts.set(id, counts.get(id) ?? 0)
  }
}
