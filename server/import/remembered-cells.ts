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

export function rememberCells(): RememberedCells {
  const byAttribute = new Map<Attribute, Map<string, StoredCells>>()
  return (attribute, texts, convert) => {
    const key = texts.join('\0')
    if (key.length > LONGEST_REMEMBERED) return convert()
    const known = byAttribute.get(attribute) ?? new Map<string, StoredCells>()
    byAttribute.set(attribute, known)
    const before = known.get(key)
    if (before) return before
    if (known.size >= MOST_REMEMBERED) known.clear()
    const stored = convert()
    known.set(key, stored)
    return stored
  }
}
