/** The last steps of a table that can be undone, and those that were undone. */

import type { Attribute } from '../../../../api/data-model/attributes'
import type { Entity } from '../../../../api/records/entities'

/** A change of one cell. The values are in the form in which the API takes them. */
export interface CellChange {
  readonly entity: Entity
  readonly attribute: Attribute
  readonly before: readonly unknown[]
  readonly after: readonly unknown[]
}

type Step = readonly CellChange[]

const MAX_STEPS = 20

export class EditHistory {
  #done: readonly Step[] = []
  #undone: readonly Step[] = []

  /** Adds a new step. What was undone before cannot be redone any more. */
  add(step: Step): void {
    if (step.length === 0) return
    this.addRedone(step)
    this.#undone = []
  }

  addRedone(step: Step): void {
    this.#done = [...this.#done, step].slice(-MAX_STEPS)
  }

  addUndone(step: Step): void {
    this.#undone = [...this.#undone, step].slice(-MAX_STEPS)
  }

  takeDone(): Step | undefined {
    const step = this.#done.at(-1)
    this.#done = this.#done.slice(0, -1)
    return step
  }

  takeUndone(): Step | undefined {
    const step = this.#undone.at(-1)
    this.#undone = this.#undone.slice(0, -1)
    return step
  }
}
