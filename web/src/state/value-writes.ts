/** Writes of values: shown at once, sent one after the other for each holder, taken back with a word when refused. */

import type { Attribute, OwnerPath } from '../api/attributes'
import type { Holder, Value } from '../api/holders'
import { ChangedMeanwhile, writeValues } from '../api/write-values'
import { toasts } from './toasts.svelte'

export interface ValueWrite {
  readonly holder: Holder
  readonly attribute: Attribute
  readonly input: readonly unknown[]
  /** What they will most likely be read as. */
  readonly guess: readonly Value[]
}

export class ValueWrites {
  readonly #owner: OwnerPath
  readonly #show: (holder: Holder) => void
  /** What the service last answered of holders that are being written. */
  readonly #confirmed = new Map<string, Holder>()
  readonly #last = new Map<string, Promise<void>>()

  constructor(owner: OwnerPath, show: (holder: Holder) => void) {
    this.#owner = owner
    this.#show = show
  }

  write(write: ValueWrite): Promise<void> {
    const { holder, attribute, guess } = write
    const { id } = holder
    if (!this.#last.has(id)) this.#confirmed.set(id, holder)
    this.#show({ ...holder, values: { ...holder.values, [attribute.api_slug]: guess } })
    const mine = (this.#last.get(id) ?? Promise.resolve()).then(() => this.#send(write))
    this.#last.set(id, mine)
    return mine.finally(() => this.#forget(id, mine))
  }

  async #send({ holder: { id }, attribute, input }: ValueWrite): Promise<void> {
    const confirmed = this.#confirmed.get(id)
    if (!confirmed) return
    const slug = attribute.api_slug
    try {
      const change = { attribute: slug, seen: confirmed.values[slug] ?? [], input }
      this.#settle(id, await writeValues(this.#owner, id, change))
    } catch (error) {
      this.#settle(id, error instanceof ChangedMeanwhile ? error.holder : confirmed)
      const words = error instanceof Error ? error.message : String(error)
      toasts.fail(`“${attribute.title}” was not saved. ${words}`)
    }
  }

  #settle(id: string, holder: Holder): void {
    this.#confirmed.set(id, holder)
    this.#show(holder)
  }

  #forget(id: string, mine: Promise<void>): void {
    if (this.#last.get(id) !== mine) return
    this.#last.delete(id)
    this.#confirmed.delete(id)
  }
}
