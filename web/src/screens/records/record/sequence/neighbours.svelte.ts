/** The records or entries before and after one in the table that was shown last. */

import type { EntityTypePath } from '../../../../api/data-model/attributes'
import { readAround, tableOf } from './sequences'

export class Neighbours {
  /** Read from the service when the rows of the table are not in memory. */
  #read = $state.raw<{ readonly previous: string | undefined; readonly next: string | undefined } | undefined>()
  readonly #type: EntityTypePath
  readonly #rowId: string
  readonly #table
  readonly #index: number

  constructor(type: EntityTypePath, rowId: string) {
    this.#type = type
    this.#rowId = rowId
    this.#table = tableOf(type)
    this.#index = this.#table?.rows.indexOf(rowId) ?? -1
  }

  get previous(): string | undefined {
    return this.#index >= 0 ? this.#rowAt(this.#index - 1) : this.#read?.previous
  }

  get next(): string | undefined {
    return this.#index >= 0 ? this.#rowAt(this.#index + 1) : this.#read?.next
  }

  /** Whether there is a row before or after this one. */
  get isKnown(): boolean {
    return this.previous !== undefined || this.next !== undefined
  }

  /** Loads the rows beside this one; for use in an effect. */
  follow(): () => void {
    const table = this.#table
    const running = new AbortController()
    if (table && this.#index >= 0) {
      table.rows.resume()
      table.rows.need(Math.max(0, this.#index - 1), this.#index + 2)
    } else {
      // Without its neighbours a record is still shown.
      readAround(this.#type, this.#rowId, running.signal).then(
        (found) => (this.#read = found),
        () => {},
      )
    }
    return () => running.abort()
  }

  #rowAt(index: number): string | undefined {
    return index < 0 ? undefined : this.#table?.rows.at(index)?.id
  }
}
