/**
 * Reads how a line of markdown begins: as a heading, as an item, or as anything else. Block quotes, tables, indented code and
 * HTML are text. So is a horizontal rule, which must not be read as an item.
 */
import { isSpace, trimSpaces } from '#vocabulary/fences'
import { MAX_INDENT } from './document'

export type SourceLine =
  | { readonly kind: 'blank' }
  | { readonly kind: 'rule'; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3; readonly text: string }
  | SourceItem

interface SourceItem {
  readonly kind: 'item'
  readonly item: 'bullet' | 'number'
  /** The number of a numbered item as written, 0 for a bullet. */
  readonly number: number
  /** Where the marker begins, and where the text after it begins. */
  readonly column: number
  readonly textColumn: number
  readonly text: string
  /** The whole line, without spaces at its ends. */
  readonly line: string
}

/** Columns beyond this one are not counted. */
const MAX_PREFIX = 200
const MAX_HEADING_COLUMN = 3
/** More spaces after a marker are part of the text. */
const MAX_SPACES_AFTER_MARKER = 4

const HEADING_PATTERN = /^(#{1,6})(?:[ \t]|$)/
const BULLET_PATTERN = /^[-+*](?=[ \t]|$)/
const NUMBER_PATTERN = /^(\d{1,9})[.)](?=[ \t]|$)/

function readLine(line: string): SourceLine {
  const text = trimSpaces(line)
  if (text === '') return { kind: 'blank' }
  if (isRule(text)) return { kind: 'rule', text }
  const column = columnOf(line)
  return readHeading(text, column) ?? readItem(text, column) ?? { kind: 'paragraph', text }
}

/** In a paragraph, a line with another number than 1 does not begin a list. */
export function readInContext(text: string, isInParagraph: boolean): SourceLine {
  const line = readLine(text)
  return isInParagraph && line.kind === 'item' && line.number > 1 ? { kind: 'paragraph', text: line.line } : line
}

/** Three or more of one sign, with or without spaces between them. */
export function isRule(text: string): boolean {
  const sign = text.charAt(0)
  if (!RULE_SIGNS.has(sign)) return false
  let count = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === sign) count++
    else if (!isSpace(text.charCodeAt(at))) return false
  }
  return count >= 3
}

const RULE_SIGNS = new Set(['-', '_', '*'])

function readHeading(text: string, column: number): SourceLine | undefined {
  const level = HEADING_PATTERN.exec(text)?.[1]?.length
  if (level === undefined || column > MAX_HEADING_COLUMN) return undefined
  // Deeper levels become the third.
  return {
    kind: 'heading',
    level: Math.min(level, 3) as 1 | 2 | 3,
    text: withoutClosing(trimSpaces(text.slice(level))),
  }
}

/** A heading may end with number signs, which are not part of its text. */
function withoutClosing(text: string): string {
  let end = text.length
  while (text[end - 1] === '#') end--
  const isClosing = end < text.length && (end === 0 || isSpace(text.charCodeAt(end - 1)))
  return isClosing ? trimSpaces(text.slice(0, end)) : text
}

function readItem(text: string, column: number): SourceItem | undefined {
  const bullet = BULLET_PATTERN.exec(text)
  const marker = bullet ?? NUMBER_PATTERN.exec(text)
  if (!marker) return undefined
  const after = text.slice(marker[0].length)
  const content = trimSpaces(after)
  const spaces = columnOf(after)
  const width = content === '' || spaces > MAX_SPACES_AFTER_MARKER ? 1 : spaces
  return {
    kind: 'item',
    item: bullet ? 'bullet' : 'number',
    number: Number(marker[1] ?? 0),
    column,
    textColumn: column + marker[0].length + width,
    text: content,
    line: text,
  }
}

/** The column of the first character that is no space. A tab leads to the next multiple of four. */
function columnOf(line: string): number {
  let column = 0
  for (let at = 0; at < line.length && column < MAX_PREFIX && isSpace(line.charCodeAt(at)); at++)
    column = line[at] === '\t' ? column + 4 - (column % 4) : column + 1
  return column
}

/**
 * How deep the items of a list are nested. The parser and the renderer use the same rule: an item is in another one if it begins
 * where the text of the other one begins, or behind it. Empty lines, and lines directly below an item, do not end a list.
 */
export interface ListLevels {
  isOpen(): boolean
  /** The level of an item that begins at `column` and becomes part of the list. */
  add(item: { readonly column: number; readonly textColumn: number }): number
  /** Where an item of at most this level begins. */
  startColumnOf(level: number): { readonly level: number; readonly column: number }
  end(): void
}

export function createListLevels(): ListLevels {
  let textColumns: number[] = []
  return {
    isOpen: () => textColumns.length > 0,
    add({ column, textColumn }) {
      const containing = textColumns.findIndex((each) => column < each)
      const level = Math.min(containing === -1 ? textColumns.length : containing, MAX_INDENT)
      textColumns = [...textColumns.slice(0, level), textColumn]
      return level
    },
    startColumnOf(wanted) {
      const level = Math.min(wanted, textColumns.length, MAX_INDENT)
      return { level, column: textColumns[level - 1] ?? 0 }
    },
    end() {
      textColumns = []
    },
  }
}
