/**
 * Computes how deep each item of a list is nested. The parser and the renderer use the same rule: an item is in another one if it begins
 * where the text of the other one begins, or behind it. Empty lines, and lines directly below an item, do not end a list.
 */

import { MAX_INDENT } from './document'

export interface ListLevels {
  isOpen(): boolean
  /** The level of an item that begins at `column` and becomes part of the list. */
  add(item: { readonly column: number; readonly textColumn: number }): number
  /** Where an item of at most this level begins. */
  startColumnOf(level: number): { readonly level: number; readonly column: number }
  end(): void
}

export function createListLevels(): ListLevels {
  let textColumns: number[] = []
  return {
    isOpen: () => textColumns.length > 0,
    add({ column, textColumn }) {
      const containing = textColumns.findIndex((each) => column < each)
      const level = Math.min(containing === -1 ? textColumns.length : containing, MAX_INDENT)
      textColumns = [...textColumns.slice(0, level), textColumn]
      return level
    },
    startColumnOf(wanted) {
      const level = Math.min(wanted, textColumns.length, MAX_INDENT)
      return { level, column: textColumns[level - 1] ?? 0 }
    },
    end() {
      textColumns = []
    },
  }
}
