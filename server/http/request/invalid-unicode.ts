/** Text that PostgreSQL does not store: with NUL, or with half of a surrogate pair. */

type Path = (string | number)[]

/** Escapes that may stand for NUL or a lone surrogate; valid UTF-8 holds them in no other form. */
const SUSPICIOUS = /\\u(?:0000|d[89a-f])/i

/** The path of the first key or text that PostgreSQL refuses. The value is walked only when its JSON has such an escape. */
export function findInvalidUnicode(text: string, value: unknown): Path | undefined {
  return SUSPICIOUS.test(text) ? findUnfit(value)?.toReversed() : undefined
}

export const isValidUnicode = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** The path from its end to its beginning, which is made only once there is one. The reader of bodies limits the depth. */
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
