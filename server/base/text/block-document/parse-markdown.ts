/** Reads markdown. See docs/reference/notes.md (Markdown). */

import { type Block, type BlockDocument, splitLines } from './document'
import { findFences } from '#vocabulary/fences'
import { createListLevels, type ListLevels, readInContext, type SourceLine } from './read-line'
import { countMarkupLines, parseLine, parseLines } from './parse-lines'

const LINES_BETWEEN_YIELDS = 500
/** A line with more characters may take as long as all lines between two pauses. */
const LONG_LINE = 500

/** Yields often, so that a caller can pause. */
export function* parseMarkdown(text: string): Generator<void, BlockDocument> {
  const lines = yield* splitLines(text)
  yield
  const markupLines = countMarkupLines(lines)
  yield
  const fences = findFences(lines.slice(0, markupLines))
  const blocks: Block[] = []
  let from = 0
  for (const { first, last } of fences) {
    yield* parseBlocks(lines.slice(from, first), blocks)
    for (let index = first; index <= last; index++) blocks.push(withoutIndent(lines[index] ?? '', lines[first] ?? ''))
    from = last + 1
  }
  yield* parseBlocks(lines.slice(from, markupLines), blocks)
  for (let index = markupLines; index < lines.length; index++) blocks.push(lines[index] ?? '')
  return blocks
}

/** A line of fenced code, without as many leading spaces as its fence has. */
function withoutIndent(line: string, fence: string): string {
  const indent = fence.length - fence.trimStart().length
  const own = line.length - line.trimStart().length
  return line.slice(Math.min(indent, own))
}

function* parseBlocks(lines: readonly string[], blocks: Block[]): Generator<void, void> {
  const list = createListLevels()
  let paragraph: string[] = []
  let isAfterBlank = true
  for (const [index, text] of lines.entries()) {
    if (index % LINES_BETWEEN_YIELDS === 0 || text.length > LONG_LINE) yield
    const line = readInContext(text, paragraph.length > 0 && !list.isOpen())
    if (line.kind === 'paragraph') {
      if (isAfterBlank) list.end()
      paragraph.push(line.text)
    } else {
      yield* parseParagraph(paragraph, blocks)
      paragraph = []
      blocks.push(blockOf(line, list))
    }
    isAfterBlank = line.kind === 'blank'
  }
  yield* parseParagraph(paragraph, blocks)
}

function* parseParagraph(lines: readonly string[], blocks: Block[]): Generator<void, void> {
  for (const line of yield* parseLines(lines)) blocks.push(line)
}

function blockOf(line: Exclude<SourceLine, { kind: 'paragraph' }>, list: ListLevels): Block {
  if (line.kind === 'blank') return ''
  if (line.kind === 'item') return { item: line.item, indent: list.add(line), text: parseLine(line.text) }
  list.end()
  return line.kind === 'rule' ? line.text : { heading: line.level, text: parseLine(line.text) }
}
