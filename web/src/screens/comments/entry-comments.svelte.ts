/** The numbers of comments on the entries that a list shows. Numbers that are needed at the same time are read together. */

import { getContext, setContext } from 'svelte'
import { SvelteMap } from 'svelte/reactivity'
import { countEntryComments, MAX_COUNTED } from '../../api/comments/comments'
import { location } from '../../router/location.svelte'
import { changeEvents } from '../../state/events/change-events'

const PAUSE_MS = 50

/** More numbers than these are not stored for entries that are no longer shown. */
const MAX_REMEMBERED = 1000

const KEY = Symbol('comments on entries')

/** For the cards and rows of a list. */
export const provideEntryComments = (comments: EntryComments): EntryComments => setContext(KEY, comments)

/** Undefined outside of lists. */
export const findEntryComments = (): EntryComments | undefined => getContext<EntryComments | undefined>(KEY)

export class EntryComments {
  readonly list: string
  readonly #counts = new SvelteMap<string, number>()
  /** How many components show the number of an entry. */
  readonly #shown = new Map<string, number>()
  readonly #pending = new Set<string>()

  /** `list` is the slug. */
  constructor(list: string) {
    this.list = list
  }

  /** Zero until the number is read. */
  countOf(entryId: string): number {
    return this.#counts.get(entryId) ?? 0
  }

  /** Reads the number of an entry, and again when it changes; for use in an effect. */
  show(entryId: string): () => void {
    const count = this.#shown.get(entryId) ?? 0
    this.#shown.set(entryId, count + 1)
    if (count === 0) this.#request(entryId)
    return () => {
      const left = (this.#shown.get(entryId) ?? 0) - 1
      if (left > 0) this.#shown.set(entryId, left)
      else this.#shown.delete(entryId)
    }
  }

  /** For use in an effect. */
  follow(): () => void {
    return changeEvents.follow({
      onevent: ({ event_type, entry_id }) => {
        const isShown = entry_id != null && this.#shown.has(entry_id)
        if (isShown && event_type.startsWith('comment.')) this.#request(entry_id)
      },
      onmissed: () => {
        for (const id of this.#shown.keys()) this.#request(id)
      },
    })
  }

  /** The comments of an entry are open while the search has its id. */
  open(entryId: string): void {
    location.setSearch({ comments: entryId }, { replace: false })
  }

  #request(entryId: string): void {
    if (this.#pending.size === 0) setTimeout(() => this.#readPending(), PAUSE_MS)
    this.#pending.add(entryId)
  }

  #readPending(): void {
    const ids = [...this.#pending].filter((id) => this.#shown.has(id)) // a scrolled table shows some for a moment only
    this.#pending.clear()
    this.#forgetHidden()
    for (let at = 0; at < ids.length; at += MAX_COUNTED) void this.#read(ids.slice(at, at + MAX_COUNTED))
  }

  /** An entry that is shown again has its last number until it is read. */
  #forgetHidden(): void {
    if (this.#counts.size <= MAX_REMEMBERED) return
    for (const id of this.#counts.keys()) if (!this.#shown.has(id)) this.#counts.delete(id)
  }

  /** A number that cannot be read stays what it was. */
  async #read(ids: readonly string[]): Promise<void> {
    const counts = await countEntryComments(this.list, ids).catch(() => undefined)
    if (counts) for (const id of ids) this.#counts.set(id, counts.get(id) ?? 0)
  }
}
