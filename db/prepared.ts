/**
 * Which statements are prepared. A connection keeps every statement it prepared until it is closed, 20 to 35 kB each, so
 * only the first texts a process meets are; later ones are parsed each time.
 */

const MOST = 1000
const prepared = new Set<string>()

/** Options for `sql.unsafe`: prepared when the text is known or there is room for it. */
export function preparedIfRoom(text: string): { prepare: boolean } {
  if (prepared.has(text)) return { prepare: true }
  if (prepared.size >= MOST) return { prepare: false }
  prepared.add(text)
  return { prepare: true }
}
