/** Columns of a file that go to one attribute. */

import type { Attribute } from '#engine/data-model/model'

export interface BoundColumn {
  readonly index: number
  readonly name: string
  /** The part of the value that the column holds; undefined when it holds whole values. */
  readonly part: string | undefined
}

/** Either all columns hold parts, or none does. */
export interface Binding {
  readonly attribute: Attribute
  readonly columns: readonly BoundColumn[]
}
