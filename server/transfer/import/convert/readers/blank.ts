/** The ways in which people write that a cell has no value. */

const BLANK = /^(?:|[-–—]+|n\/?a|#n\/a|null|nil|none|unknown|undefined|tbd|\?+)$/i

/** Whether a cell holds no value. Not for texts and options, where such a word may be the value. */
export function isBlank(text: string): boolean {
  const trimmed = text.trim()
  const first = trimmed[0]
  return first === undefined || (FIRST.has(first) && BLANK.test(trimmed))
}

/** The first characters of all forms; most cells begin with another one. */
const FIRST = new Set('-–—?#nNuUtT')
