/** Two looks at a parsed body for what the database or the stack could not bear. Both are skipped when its text shows
 *  that there is nothing to find. */

type Path = (string | number)[]

/** Escapes that may stand for NUL or a lone surrogate; valid UTF-8 holds them in no other form. */
const SUSPICIOUS = /\\u(?:0000|d[89a-f])/i

/** The path of the first key or text that PostgreSQL refuses. */
export function findUnfitText(text: string, value: unknown): Path | undefined {
  return SUSPICIOUS.test(text) ? findUnfit(value, []) : undefined
}

export const isFitText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

function findUnfit(value: unknown, path: Path): Path | undefined {
  if (typeof value === 'string') return isFitText(value) ? undefined : path
  if (typeof value !== 'object' || value === null) return undefined
  const members: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  for (const [key, member] of members) {
    if (typeof key === 'string' && !isFitText(key)) return path
    const found = findUnfit(member, [...path, key])
    if (found !== undefined) return found
  }
  return undefined
}

/** How deep a value is nested, counted until it exceeds `limit`. Level by level, so that depth costs no stack. */
export function nestingOf(text: string, value: unknown, limit: number): number {
  if (text.length <= limit || countOpening(text) <= limit) return 0
  let level: unknown[] = [value]
  let depth = 0
  while (level.length > 0 && depth <= limit) {
    depth++
    level = level.flatMap(membersOf)
  }
  return depth
}

/** At least as many as there are levels; those inside of strings count as well. */
function countOpening(text: string): number {
  let count = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === 0x7b /* { */ || code === 0x5b /* [ */) count++
  }
  return count
}

const membersOf = (value: unknown): object[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.values(value).filter((member) => typeof member === 'object' && member !== null)
