/** Finds text that PostgreSQL cannot store: with NUL, or with a lone surrogate. */

type Path = (string | number)[]

/** Escapes that may be NUL or a lone surrogate. Valid UTF-8 contains them in no other form. */
const SUSPICIOUS = /\\u(?:0000|d[89a-f])/i

/** Returns the path of the first key or text that PostgreSQL refuses. Searches the value only when its JSON has such an escape. */
export function findInvalidUnicode(text: string, value: unknown): Path | undefined {
  return SUSPICIOUS.test(text) ? findUnfit(value)?.toReversed() : undefined
}

export const isValidUnicode = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Returns the path in reverse, or undefined. The recursion ends, because `readBody` limits the depth. */
function findUnfit(value: unknown): Path | undefined {
  if (typeof value === 'string') return isValidUnicode(value) ? undefined : []
  if (typeof value !== 'object' || value === null) return undefined
  return Array.isArray(value) ? findInArray(value) : findInObject(value as Record<string, unknown>) // JSON has no others
}

function findInArray(values: readonly unknown[]): Path | undefined {
  for (let index = 0; index < values.length; index++) {
    const found = findUnfit(values[index])
    if (found !== undefined) return withStep(found, index)
  }
  return undefined
}

function findInObject(value: Readonly<Record<string, unknown>>): Path | undefined {
  for (const key in value) {
    if (!isValidUnicode(key)) return []
    const found = findUnfit(value[key])
    if (found !== undefined) return withStep(found, key)
  }
  return undefined
}

function withStep(path: Path, step: string | number): Path {
  path.push(step)
  return path
}
