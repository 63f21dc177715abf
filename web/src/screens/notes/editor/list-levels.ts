/**
 * Where the items of lists are and which numbers they have. An item can be one level deeper than the item before. Lines directly
 * below an item, and empty lines, do not end a list; a paragraph below an empty line, a heading and a rule do.
 */

import type { Node } from 'prosemirror-model'
import { schema } from './schema'

const { heading, item } = schema.nodes

interface Level {
  /** The number of the last item; 0 after a bullet. */
  readonly number: number
  /** The column in which the text of the item begins. */
  readonly textColumn: number
}

export interface ItemPlace {
  readonly column: number
  /** Such as `2.`, or `-` for a bullet. */
  readonly marker: string
}

const NO_ITEM: ItemPlace = { column: 0, marker: '' }

const RULE_PATTERN = /^(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$/

const MAX_RULE_LENGTH = 200

export const isRule = (text: string): boolean => text.length <= MAX_RULE_LENGTH && RULE_PATTERN.test(text)

export class ListLevels {
  #levels: readonly Level[] = []
  #isAfterEmpty = true

  /** The indent that an item can have here. */
  clamp(indent: number): number {
    return Math.min(indent, this.#levels.length)
  }

  /** Goes on to the next block, and returns the place of an item. */
  next(block: Node): ItemPlace {
    const isEmpty = block.type !== item && block.content.size === 0
    const place = block.type === item ? this.#add(block) : NO_ITEM
    if (
      block.type !== item &&
      (block.type === heading || isRule(block.textContent) || (this.#isAfterEmpty && !isEmpty))
    )
      this.#levels = []
    this.#isAfterEmpty = isEmpty && block.type !== heading
    return place
  }

  #add({ attrs }: Node): ItemPlace {
    const indent = this.clamp(attrs.indent)
    const column = this.#levels[indent - 1]?.textColumn ?? 0
    const number = attrs.kind === 'number' ? (this.#levels[indent]?.number ?? 0) + 1 : 0
    const marker = number === 0 ? '-' : `${number}.`
    this.#levels = [...this.#levels.slice(0, indent), { number, textColumn: column + marker.length + 1 }]
    return { column, marker }
  }
}
