/**
 * Saves changes of the access to a list one after the other. A request replaces all members with access, so each change is
 * computed when its turn comes, from the list as the change before it left it.
 */

import type { List } from '../../../state/data-model.svelte'

export type Access = Pick<List, 'workspace_access' | 'workspace_member_access'>

export interface AccessStore<Stored extends Access> {
  read(): Promise<Stored>
  write(access: Access): Promise<Stored>
}

export class AccessQueue<Stored extends Access> {
  readonly #store: AccessStore<Stored>
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0
  /** The list of the last answer, while changes wait. Afterwards, other people may have changed it. */
  #stored: Stored | undefined

  constructor(store: AccessStore<Stored>) {
    this.#store = store
  }

  /** Rejects when the change is refused. Changes behind it are saved nevertheless. */
  save(change: (access: Stored) => Access): Promise<Stored> {
    this.#waiting += 1
    const saved = this.#last.then(() => this.#write(change))
    this.#last = saved.catch(() => undefined)
    return saved
  }

  async #write(change: (access: Stored) => Access): Promise<Stored> {
    const before = this.#stored
    this.#stored = undefined // a refused change leaves a list that has to be read again
    try {
      const { workspace_access, workspace_member_access } = change(before ?? (await this.#store.read()))
      const after = await this.#store.write({ workspace_access, workspace_member_access })
      if (this.#waiting > 1) this.#stored = after
      return after
    } finally {
      this.#waiting -= 1
    }
  }
}
