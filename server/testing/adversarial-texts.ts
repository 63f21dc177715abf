/** Texts of one megabyte that make a careless reader slow: one piece again and again, alone or between two others. */

/** In UTF-16 units. */
export const LENGTH = 1_000_000

/** Letters, digits, signs and words that patterns repeat, and marks that Unicode's algorithms sort or join. */
const PIECES = [
  ['0', '9', 'a', 'A', ' ', '\t', '\n', '\r\n', '\r', '.', ',', ';', ':', '-', '_', '+', '%', '@', '/', '|', '='],
  ['"', "'", '`', '(', ')', '[', ']', '{', '<', '>', '#', '?', '&', '$', '*', '^', '\\', '""', '" ', 'a"\n', '<a'],
  ['1 ', '1,', '1.', '1,000', '.000', ',000', '1-', '-1', 'a.', 'a-', 'a@', 'a:', 'a/', 'a ', 'a b,', 'a=b,'],
  ['0.', 'e1', '1e', 'k ', 'and ', 'usd', '$1 ', '1 usd ', 'von ', 'xn--', 'www.', 'http://', '%41', '\\u0000'],
  ['ü', 'ü.', 'ß', '\u0301', '\u0323\u0301', '\u1100\u1161', '\u00ad', '\u200d', '\u00a0', '\ufeff', '\ufb03'],
  ['\ud83d', '\ude00', '😀', '👩\u200d', 'Lead,', 'Lead; ', 'In Progress, '],
].flat()

type Frame = readonly [beginning: string, end: string]

/** Nothing stands around the pieces, or an end that most patterns refuse. */
const BARE: readonly Frame[] = [
  ['', ''],
  ['', '!'],
]

/** A beginning that a pattern expects, and an end that it refuses. */
const FRAMED: readonly Frame[] = [
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

/** All of them, made one by one; the longest only bare, of which there are fewer. */
export function* adversarialTexts(length: number): Generator<AdversarialText> {
  const frames = length < LENGTH ? FRAMED : BARE
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
 * As it comes out of a decoder. A text put together is copied into one piece of memory when it is first read, which is not
 * the reader's time.
 */
function flat(text: string): string {
  const encoding = text.isWellFormed() ? 'utf8' : 'utf16le' // UTF-8 has no half of a surrogate pair
  return Buffer.from(text, encoding).toString(encoding)
}
