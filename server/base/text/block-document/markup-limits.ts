/**
 * Limits how much of a text is parsed as markup. The parser takes up to a microsecond for each special character. Lines beyond
 * these limits stay literal; texts that people write stay far below them.
 */

const MAX_IN_DOCUMENT = 50_000
const MAX_IN_LINE = 5000
const MAX_LINE_LENGTH = 100_000

const SPECIAL = new Uint8Array(128)
for (const character of '\\`*_~=[]&') SPECIAL[character.charCodeAt(0)] = 1

/** The characters that can begin or end markup within a line. */
export function countSpecials(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) count += SPECIAL[text.charCodeAt(at)] ?? 0
  return count
}

export const isWithinLine = (line: string, specials: number): boolean =>
  specials <= MAX_IN_LINE && (specials === 0 || line.length <= MAX_LINE_LENGTH)

/** How many of the first lines of a document may hold markup. Lines that may begin a heading or an item count as well. */
export function countMarkupLines(lines: readonly string[]): number {
  let sum = 0
  for (const [index, line] of lines.entries()) {
    if (line === '') continue
    sum += countSpecials(line) + (BLOCK_STARTS.includes(line.charAt(indentOf(line))) ? 1 : 0)
    if (sum > MAX_IN_DOCUMENT) return index
  }
  return lines.length
}

const BLOCK_STARTS = '-+#0123456789'

function indentOf(line: string): number {
  let at = 0
  while (line.charCodeAt(at) === 0x20 || line.charCodeAt(at) === 0x09) at++
  return at
}
