/** Writes of values: shown at once, sent one after the other for each holder, taken back when the service refuses them. */

import type { Attribute, OwnerPath } from '../api/attributes'
import type { Holder, Value } from '../api/entities'
import { ChangedMeanwhile, writeValues } from '../api/write-values'
import { celebrateChange } from '../celebration/celebrate'

export interface ValueWrite {
  readonly holder: Holder
  readonly attribute: Attribute
  readonly input: readonly unknown[]
  /** What they will most likely be read as. */
  readonly guess: readonly Value[]
}

export interface RefusedWrite {
  /** As the service has it now. */
  readonly holder: Holder
  readonly error: unknown
}

export class ValueWrites {
  readonly #owner: OwnerPath
  readonly #show: (holder: Holder) => void
  /** What the service last answered of holders that are being written. */
  readonly #confirmed = new Map<string, Holder>()
  readonly #last = new Map<string, Promise<RefusedWrite | undefined>>()

  constructor(owner: OwnerPath, show: (holder: Holder) => void) {
    this.#owner = owner
    this.#show = show
  }

  /** Resolves to undefined when the values were saved. */
  write(write: ValueWrite): Promise<RefusedWrite | undefined> {
    const { holder, attribute, guess } = write
    const { id } = holder
    if (!this.#last.has(id)) this.#confirmed.set(id, holder)
    this.#show({ ...holder, values: { ...holder.values, [attribute.api_slug]: guess } })
    const mine = (this.#last.get(id) ?? Promise.resolve(undefined)).then(() => this.#send(write))
    this.#last.set(id, mine)
    return mine.finally(() => this.#forget(id, mine))
  }

  /** Whether a write of this record or entry is under way. */
  isWriting(id: string): boolean {
    return this.#last.has(id)
  }

  /** Waits for the writes of these that are under way. */
  async settled(ids: Iterable<string>): Promise<void> {
    await Promise.all([...ids].map((id) => this.#last.get(id)))
  }

  async #send({ holder: { id }, attribute, input }: ValueWrite): Promise<RefusedWrite | undefined> {
    const confirmed = this.#confirmed.get(id)
    if (!confirmed) return undefined
    const slug = attribute.api_slug
    try {
      const change = { attribute: slug, seen: confirmed.values[slug] ?? [], input }
      const holder = await writeValues(this.#owner, id, change)
      this.#settle(id, holder)
      celebrateChange(change.seen, holder.values[slug] ?? [])
      return undefined
    } catch (error) {
      const holder = error instanceof ChangedMeanwhile ? error.holder : confirmed
      this.#settle(id, holder)
      return { holder, error }
    }
  }

  #settle(id: string, holder: Holder): void {
    this.#confirmed.set(id, holder)
    this.#show(holder)
  }

  #forget(id: string, mine: Promise<unknown>): void {
    if (this.#last.get(id) !== mine) return
    this.#last.delete(id)
    this.#confirmed.delete(id)
  }
}
