/** Texts that make patterns backtrack: one piece repeated, alone or between two other pieces. */

/** Letters, digits, signs and words that patterns repeat, and marks that Unicode's algorithms sort or join. */
const PIECES = [
  ['0', '9', 'a', 'A', ' ', '\t', '\n', '\r\n', '\r', '.', ',', ';', ':', '-', '_', '+', '%', '@', '/', '|', '='],
  ['"', "'", '`', '(', ')', '[', ']', '{', '<', '>', '#', '?', '&', '$', '*', '^', '\\', '""', '" ', 'a"\n', '<a'],
  ['1 ', '1,', '1.', '1,000', '.000', ',000', '1-', '-1', 'a.', 'a-', 'a@', 'a:', 'a/', 'a ', 'a b,', 'a=b,'],
  ['0.', 'e1', '1e', 'k ', 'and ', 'usd', '$1 ', '1 usd ', 'von ', 'xn--', 'www.', 'http://', '%41', '\\u0000'],
  ['ü', 'ü.', 'ß', '\u0301', '\u0323\u0301', '\u1100\u1161', '\u00ad', '\u200d', '\u00a0', '\ufeff', '\ufb03'],
  ['\ud83d', '\ude00', '😀', '👩\u200d', 'Lead,', 'Lead; ', 'In Progress, '],
].flat()

export type Frame = readonly [beginning: string, end: string]

/** The pieces alone, and with an end that most patterns refuse. */
export const BARE: readonly Frame[] = [
  ['', ''],
  ['', '!'],
]

/** A beginning that a pattern expects, and an end that it refuses. */
export const FRAMED: readonly Frame[] = [
  ...BARE,
  ['0.', '1'],
  ['1', 'x'],
  ['a', '\u0000'],
  ['a@', '.com'],
  ['http://', '\n'],
  ['+1', 'a'],
  ['"', 'a'],
]

export interface AdversarialText {
  readonly name: string
  readonly text: string
}

/** Yields the texts of a length in UTF-16 units. */
export function* adversarialTexts(length: number, frames: readonly Frame[]): Generator<AdversarialText> {
  for (const piece of PIECES) {
    for (const [beginning, end] of frames) {
      const run = piece.repeat(Math.ceil((length - beginning.length - end.length) / piece.length))
      yield {
        name: `${JSON.stringify(beginning)} + ${JSON.stringify(piece)}… + ${JSON.stringify(end)}`,
        text: flat(`${beginning}${run}${end}`),
      }
    }
  }
}

/**
 * Returns the text in one piece of memory, as a decoder makes it. Otherwise the first read of a concatenated text copies
 * it, and that time would count for the reader.
 */
function flat(text: string): string {
  const encoding = text.isWellFormed() ? 'utf8' : 'utf16le' // UTF-8 has no half of a surrogate pair
  return Buffer.from(text, encoding).toString(encoding)
}
