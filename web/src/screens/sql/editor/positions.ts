/** Positions in SQL text. PostgreSQL counts characters from one; the editor counts UTF-16 units from zero. */

export interface TextRange {
  readonly from: number
  readonly to: number
}

/** The offset in the editor of a position of PostgreSQL. */
export const offsetOf = (text: string, position: number): number =>
  Array.from(text)
    .slice(0, Math.max(0, position - 1))
    .join('').length

/** The word, quoted name or sign at an offset. At the end of the text, the last one. Undefined for a text without any. */
export function wordAt(text: string, offset: number): TextRange | undefined {
  const end = text.trimEnd().length
  if (end === 0) return undefined
  const from = Math.min(offset, end - 1)
  const [word] = /^(?:"[^"\n]*"|'[^'\n]*'|[\p{L}\p{N}_$]+|\P{Surrogate}|.)/su.exec(text.slice(from, from + 200)) ?? []
  return { from, to: from + (word?.length ?? 1) }
}

export interface LineAndColumn {
  readonly line: number
  readonly column: number
}

/** Both count from one. */
export function lineAndColumn(text: string, offset: number): LineAndColumn {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: Array.from(before.slice(before.lastIndexOf('\n') + 1)).length + 1 }
}
