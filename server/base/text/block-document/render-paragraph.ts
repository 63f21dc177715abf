/**
 * Writes lines as markdown that parses to the same lines: first without escapes, and with escapes if the parsed lines differ.
 * A line whose marks markdown cannot express loses them.
 */

import { isSameLine, type Line, textOf } from './document'
import { countSpecials, isWithinLine } from './markup-limits'
import { parseLine, parseLines } from './parse-lines'
import { fenceOf, readInContext } from './read-line'
import { type Escapes, renderLine, WITH_ESCAPES, WITHOUT_ESCAPES } from './render-line'

/** Yields often, so that a caller can pause. `isInList` tells whether a list is open, as `readInContext` needs to know. */
export function* renderParagraph(
  lines: readonly Line[],
  isInList: boolean,
  isRetry = false,
): Generator<void, string[]> {
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
export function renderSingle(line: Line): string {
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
