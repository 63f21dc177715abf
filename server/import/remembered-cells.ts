/** Remembers what cells came to: choices, places and years repeat themselves from row to row. */

import type { Attribute } from '../data-model/model'
import type { StoredCells } from './convert-row'

/** Gives what cells with these texts came to before, or converts them. */
export type RememberedCells = (
  attribute: Attribute,
  texts: readonly string[],
  convert: () => StoredCells,
) => StoredCells

/** Per attribute; a column that has more different cells is forgotten and begun again, so that memory stays flat. */
const MOST_REMEMBERED = 1000
/** Longer cells hardly come again. */
const LONGEST_REMEMBERED = 200
/** After so many cells a column in which fewer than one in ten came again is not remembered any more. */
const TRIED = 2000

interface Column {
  readonly known: Map<string, StoredCells>
  asked: number
  found: number
}

export function rememberCells(): RememberedCells {
  const columns = new Map<Attribute, Column>()
  return (attribute, texts, convert) => {
    const column = columns.get(attribute) ?? { known: new Map(), asked: 0, found: 0 }
    columns.set(attribute, column)
    if (column.asked >= TRIED && column.found * 10 < column.asked) return convert()
    const key = texts.length === 1 ? (texts[0] ?? '') : texts.join('\0')
    if (key.length > LONGEST_REMEMBERED) return convert()
    column.asked++
    const before = column.known.get(key)
    if (before) {
      column.found++
      return before
    }
    if (column.known.size >= MOST_REMEMBERED) column.known.clear()
    const stored = convert()
    column.known.set(key, stored)
    return stored
  }
}
