/** Writes a block document as markdown, one line for each block. See docs/reference/notes.md (Markdown). */

import {
  type Block,
  type BlockDocument,
  type Heading,
  isParagraph,
  type Line,
  lineOf,
  type ListItem,
  textOf,
} from './document'
import { findFences } from './find-fences'
import { createListLevels, type ListLevels } from './list-levels'
import { countMarkupLines } from './markup-limits'
import { isRule, readInContext, trimSpaces } from './read-line'
import { renderParagraph, renderSingle } from './render-paragraph'

const BLOCKS_BETWEEN_YIELDS = 500
/** A block with more characters may take as long as all blocks between two pauses. */
const LONG_BLOCK = 500

/** Yields often, so that a caller can pause. */
export function* renderMarkdown(blocks: BlockDocument): Generator<void, string> {
  const texts = blocks.map(plainTextOf)
  yield
  // The parser reads the lines beyond a limit as literal text. Markdown has as many special characters as the text, or more.
  const rendered = blocks.slice(0, countMarkupLines(texts))
  yield
  const lines = yield* renderAll(rendered)
  yield
  for (let index = countMarkupLines(lines); index < blocks.length; index++) lines[index] = texts[index] ?? ''
  yield
  return lines.join('\n')
}

function* renderAll(blocks: BlockDocument): Generator<void, string[]> {
  const lines: string[] = []
  const texts = blocks.map((block) => (typeof block === 'string' ? block : undefined))
  const fences = findFences(texts, { opensIndented: false })
  yield
  let from = 0
  for (const { first, last } of fences) {
    yield* renderBlocks(blocks.slice(from, first), lines)
    for (const block of blocks.slice(first, last + 1)) lines.push(plainTextOf(block))
    from = last + 1
  }
  yield* renderBlocks(blocks.slice(from), lines)
  return lines
}

const plainTextOf = (block: Block): string => textOf(lineOf(block))

function* renderBlocks(blocks: BlockDocument, lines: string[]): Generator<void, void> {
  const list = startList()
  let paragraph: Line[] = []
  for (const [index, block] of blocks.entries()) {
    if (index % BLOCKS_BETWEEN_YIELDS === 0 || plainTextOf(block).length > LONG_BLOCK) yield
    if (isParagraph(block) && !isLiteral(block)) {
      if (blocks[index - 1] === '') list.end()
      paragraph.push(block)
    } else {
      yield* addParagraph(paragraph, list.isOpen(), lines)
      paragraph = []
      lines.push(renderBlock(block, list))
    }
  }
  yield* addParagraph(paragraph, list.isOpen(), lines)
}

function* addParagraph(paragraph: readonly Line[], isInList: boolean, lines: string[]): Generator<void, void> {
  if (paragraph.length === 0) return
  for (const line of yield* renderParagraph(paragraph, isInList)) lines.push(line)
}

/** Empty lines and horizontal rules, which are no paragraphs of markdown. */
const isLiteral = (block: Line): boolean =>
  typeof block === 'string' && (block === '' || (isRule(block) && block === trimSpaces(block)))

function renderBlock(block: Block, list: NumberedList): string {
  if (!isParagraph(block)) return 'item' in block ? list.render(block) : endingList(list, renderHeading(block))
  return block === '' ? '' : endingList(list, textOf(block))
}

function endingList(list: NumberedList, text: string): string {
  list.end()
  return text
}

function renderHeading({ heading, text }: Heading): string {
  const marker = '#'.repeat(heading)
  const line = renderSingle(text)
  const whole = line === '' ? marker : `${marker} ${line}`
  const read = readInContext(whole, false)
  // Number signs at the end of a heading are not part of its text.
  return read.kind === 'heading' && read.text === line
    ? whole
    : whole.slice(0, endWithoutHashes(whole)) + '\\' + whole.slice(endWithoutHashes(whole))
}

function endWithoutHashes(text: string): number {
  let end = text.length
  while (text[end - 1] === '#') end--
  return end
}

interface NumberedList extends Pick<ListLevels, 'isOpen' | 'end'> {
  render(item: ListItem): string
}

/** Items of a level are numbered until another kind of item or the end of the list. */
function startList(): NumberedList {
  const levels = createListLevels()
  let numbers: number[] = []
  return {
    isOpen: levels.isOpen,
    end() {
      levels.end()
      numbers = []
    },
    render({ item, indent, text }) {
      const { level, column } = levels.startColumnOf(indent)
      numbers = numbers.slice(0, level + 1)
      numbers[level] = item === 'number' ? (numbers[level] ?? 0) + 1 : 0
      const marker = item === 'number' ? `${numbers[level]}.` : '-'
      levels.add({ column, textColumn: column + marker.length + 1 })
      return `${' '.repeat(column)}${withText(marker, renderSingle(text))}`
    },
  }
}

function withText(marker: string, text: string): string {
  if (text === '') return marker
  const whole = `${marker} ${text}`
  // Such as "- - -".
  return isRule(whole) ? `${marker} \\${text}` : whole
}
