/** Writes a block document as markdown, one line for each block. See docs/reference/notes.md (Markdown). */

import {
  type Block,
  type BlockDocument,
  type Heading,
  isParagraph,
  isSameLine,
  type Line,
  lineOf,
  type ListItem,
  MARK_NAMES,
  type MarkName,
  type Span,
  textOf,
} from './document'
import { fenceOf, findFences, trimSpaces } from '#vocabulary/fences'
import { createListLevels, isRule, type ListLevels, readInContext } from './read-line'
import { countMarkupLines, countSpecials, isWithinLine, parseLine, parseLines } from './parse-lines'

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

// Writes lines as markdown that parses to the same lines: first without escapes, and with escapes if the parsed lines differ.
// A line whose marks markdown cannot express loses them.

/** Yields often, so that a caller can pause. `isInList` tells whether a list is open, as `readInContext` needs to know. */
function* renderParagraph(lines: readonly Line[], isInList: boolean, isRetry = false): Generator<void, string[]> {
  const unescaped = yield* writeLines(lines, WITHOUT_ESCAPES, isInList)
  if ((yield* readsAs(unescaped, lines)).every(Boolean)) return unescaped
  const escaped = yield* writeLines(lines, WITH_ESCAPES, isInList)
  const isRead = yield* readsAs(escaped, lines)
  const expressible = lines.map((line, index) => (isRead[index] === true && !isRetry ? line : textOf(line)))
  if (expressible.every((line, index) => line === lines[index])) return escaped
  return yield* renderParagraph(expressible, isInList, true)
}

const LINES_BETWEEN_YIELDS = 200

function* writeLines(lines: readonly Line[], escapes: Escapes, isInList: boolean): Generator<void, string[]> {
  const written: string[] = []
  for (const [index, line] of lines.entries()) {
    if (index % LINES_BETWEEN_YIELDS === 0) yield
    written.push(protectStart(renderText(line, escapes), index > 0 && !isInList))
  }
  return written
}

/** The text of a heading or an item. */
function renderSingle(line: Line): string {
  const unescaped = renderText(line, WITHOUT_ESCAPES)
  if (isSameLine(parseLine(unescaped), line)) return unescaped
  const escaped = renderText(line, WITH_ESCAPES)
  return typeof line === 'string' || isSameLine(parseLine(escaped), line) ? escaped : renderSingle(textOf(line))
}

/** For each line, whether its markdown is read as the line. */
function* readsAs(texts: readonly string[], lines: readonly Line[]): Generator<void, boolean[]> {
  const read = yield* parseLines(texts)
  return lines.map((line, index) => read.length === lines.length && isSameLine(read[index] ?? '', line))
}

/** The parser reads long lines as literal text. */
function renderText(line: Line, escapes: Escapes): string {
  const text = textOf(line)
  return isWithinLine(text, countSpecials(text)) ? protectEnds(renderLine(line, escapes)) : text
}

/** The parser removes spaces and tabs at the ends of a line. */
function protectEnds(text: string): string {
  const begin = ENTITIES[text.charAt(0)]
  const protectedBegin = begin === undefined ? text : begin + text.slice(1)
  const end = ENTITIES[protectedBegin.charAt(protectedBegin.length - 1)]
  return end === undefined ? protectedBegin : protectedBegin.slice(0, -1) + end
}

const ENTITIES: Readonly<Record<string, string>> = { ' ': '&#32;', '\t': '&#9;' }

/** A line of a paragraph must not begin as a heading, an item, a rule or a fence does. */
function protectStart(text: string, isInParagraph: boolean): string {
  const line = readInContext(text, isInParagraph)
  if (line.kind === 'paragraph' && fenceOf(text) === undefined) return text
  const digits = line.kind === 'item' && line.item === 'number' ? text.search(/\D/) : 0
  return `${text.slice(0, digits)}\\${text.slice(digits)}`
}

/** Writes the marks and links of a line as markdown, with or without escapes. */
const DELIMITERS: Readonly<Record<MarkName, string>> = { bold: '**', italic: '*', strikethrough: '~~', highlight: '==' }

/** A mark as its name, a link as its target. */
type Wrapper = { readonly mark: MarkName } | { readonly link: string }

/** How far ahead the order of marks is decided. */
const MAX_EXTENT = 32

/** Writes texts and targets of links. */
interface Escapes {
  readonly text: (text: string) => string
  readonly target: (target: string) => string
}

const WITHOUT_ESCAPES: Escapes = { text: (text) => text, target: (target) => target }

const WITH_ESCAPES: Escapes = {
  text: (text) => text.replaceAll(/[\\`*_~=[\]]|&(?=[#a-z])/gi, '\\$&'),
  target: (target) => target.replaceAll(/[\\()&]/g, '\\$&'),
}

function renderLine(line: Line, escapes: Escapes): string {
  if (typeof line === 'string') return escapes.text(line)
  const open: Wrapper[] = []
  const parts: string[] = []
  for (const [index, span] of line.entries()) {
    while (open.some((wrapper) => !wraps(wrapper, span))) parts.push(closingOf(open.pop(), escapes))
    for (const wrapper of missingWrappers(line, index, open)) {
      open.push(wrapper)
      parts.push('link' in wrapper ? '[' : DELIMITERS[wrapper.mark])
    }
    parts.push(escapes.text(span.text))
  }
  for (const wrapper of open.toReversed()) parts.push(closingOf(wrapper, escapes))
  return parts.join('')
}

const wraps = (wrapper: Wrapper, { marks = [], link }: Span): boolean =>
  'link' in wrapper ? wrapper.link === link : marks.includes(wrapper.mark)

function closingOf(wrapper: Wrapper | undefined, escapes: Escapes): string {
  if (wrapper === undefined) return ''
  return 'link' in wrapper ? `](${escapes.target(wrapper.link)})` : DELIMITERS[wrapper.mark]
}

/** The wrappers of a span that are not open, the longest first, so that it can contain the others. */
function missingWrappers(line: readonly Span[], index: number, open: readonly Wrapper[]): Wrapper[] {
  const span = line[index]
  const { marks = [], link } = span ?? {}
  if (marks.length === 0 && link === undefined) return []
  const all: Wrapper[] = MARK_NAMES.filter((mark) => marks.includes(mark)).map((mark) => ({ mark }))
  if (link !== undefined) all.push({ link })
  return all
    .filter((wrapper) => !open.some((each) => isSame(each, wrapper)))
    .map((wrapper) => ({ wrapper, extent: extentOf(line, index, wrapper) }))
    .sort((a, b) => b.extent - a.extent)
    .map(({ wrapper }) => wrapper)
}

const isSame = (a: Wrapper, b: Wrapper): boolean =>
  'link' in a ? 'link' in b && a.link === b.link : 'mark' in b && a.mark === b.mark

function extentOf(line: readonly Span[], from: number, wrapper: Wrapper): number {
  const end = line.slice(from, from + MAX_EXTENT).findIndex((span) => !wraps(wrapper, span))
  return end === -1 ? Math.min(line.length - from, MAX_EXTENT) : end
}
