/** Plain text as a block document: each line is a paragraph. */

import { type BlockDocument, lineOf, textOf } from './document'

/** Lines end with LF, CR LF or CR. Yields often, so that a caller can pause. */
export function* splitLines(text: string): Generator<void, string[]> {
  let joined = text
  for (const end of text.includes('\r') ? ['\r\n', '\r'] : []) {
    joined = joined.replaceAll(end, '\n')
    yield
  }
  return joined.split('\n')
}

export const parsePlainText: (text: string) => Generator<void, BlockDocument> = splitLines

export const renderPlainText = (blocks: BlockDocument): string =>
  blocks.map((block) => textOf(lineOf(block))).join('\n')
