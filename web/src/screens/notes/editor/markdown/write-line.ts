/** Writes the text of a block as markdown. Characters that could be read as markup are escaped. */

import type { Node } from 'prosemirror-model'
import { type Delimiter, findUnread, type Part } from './delimiters'
import { schema } from '../schema'
import { IMAGE, MARK_NAMES, type MarkName, type Span, spansOf, withExpressibleMarks } from './spans'

const DELIMITERS: Readonly<Record<MarkName, string>> = { bold: '**', italic: '*', strikethrough: '~~', highlight: '==' }

type Wrapper = { readonly mark: MarkName } | { readonly link: string }

/** The service reads a line with more special characters, or a longer one that has any, as literal text. */
const MAX_SPECIALS = 5000
const MAX_LENGTH = 100_000

/** How far ahead the order of marks is decided. */
const MAX_EXTENT = 32

export function writeLine(block: Node): string {
  const line = withImages(protectEnds(writeSpans(spansOf(block))), block)
  const specials = countSpecials(line)
  return specials > MAX_SPECIALS || (specials > 0 && line.length > MAX_LENGTH) ? block.textContent : line
}

/** Writes the images of a block, which have the order of those that stand for them. */
function withImages(line: string, block: Node): string {
  if (!line.includes(IMAGE)) return line
  const images: string[] = []
  block.forEach((node) => {
    if (node.type === schema.nodes.image) images.push(node.textContent)
  })
  return line.replaceAll(IMAGE, () => images.shift() ?? '')
}

const SPECIAL_PATTERN = /[\\`*_~=[\]&]/g

export const countSpecials = (text: string): number => text.match(SPECIAL_PATTERN)?.length ?? 0

/** No person writes a line with more marks that markdown cannot express. */
const MAX_ATTEMPTS = 30

/** A line is written again without the marks that would not be read as marks. */
function writeSpans(spans: readonly Span[]): string {
  let present = withExpressibleMarks(spans)
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const parts = partsOf(present)
    const failed = findUnread(parts)
    if (failed === undefined) return textOf(parts)
    present = withExpressibleMarks(withoutMark(present, failed))
  }
  return textOf(partsOf(present.map((span) => ({ ...span, marks: [] }))))
}

const textOf = (parts: readonly Part[]): string => parts.map(({ text }) => text).join('')

/** The delimiters and texts of a line, in their order. */
function partsOf(spans: readonly Span[]): Part[] {
  const open: (Wrapper & { readonly index: number })[] = []
  const parts: Part[] = []
  for (const [index, span] of spans.entries()) {
    while (open.some((wrapper) => !isAround(wrapper, span))) parts.push(...closingOf(open.pop()))
    for (const wrapper of openingAt(spans, index, open)) {
      open.push({ ...wrapper, index })
      parts.push('link' in wrapper ? { text: '[' } : delimiterOf(wrapper.mark, index, true))
    }
    parts.push({ text: escapeText(span.text) })
  }
  for (const wrapper of open.toReversed()) parts.push(...closingOf(wrapper))
  return parts
}

const delimiterOf = (mark: MarkName, index: number, isOpening: boolean): Part => ({
  text: DELIMITERS[mark],
  delimiter: { mark, index, isOpening },
})

const isAround = (wrapper: Wrapper, { marks, link }: Span): boolean =>
  'link' in wrapper ? wrapper.link === link : marks.includes(wrapper.mark)

function closingOf(wrapper: (Wrapper & { readonly index: number }) | undefined): Part[] {
  if (wrapper === undefined) return []
  if ('mark' in wrapper) return [delimiterOf(wrapper.mark, wrapper.index, false)]
  return [{ text: `](${wrapper.link.replaceAll(/[\\()&]/g, '\\$&')})` }]
}

/** Removes a mark from the spans that have it in common, beginning at one of them. */
function withoutMark(spans: readonly Span[], { mark, index }: Delimiter): Span[] {
  const found = spans.findIndex((span, at) => at > index && !span.marks.includes(mark))
  const end = found === -1 ? spans.length : found
  return spans.map((span, at) =>
    at >= index && at < end ? { ...span, marks: span.marks.filter((each) => each !== mark) } : span,
  )
}

/** What begins at a span. What ends last comes first, so that it contains the others. */
function openingAt(spans: readonly Span[], index: number, open: readonly Wrapper[]): Wrapper[] {
  const span = spans[index]
  if (span === undefined) return []
  const wrappers: Wrapper[] = MARK_NAMES.map((mark) => ({ mark }))
  if (span.link !== undefined) wrappers.push({ link: span.link })
  return wrappers
    .filter((wrapper) => isAround(wrapper, span) && !open.some((each) => isSame(each, wrapper)))
    .map((wrapper) => ({ wrapper, end: endOf(wrapper, spans, index) }))
    .sort((a, b) => b.end - a.end)
    .map(({ wrapper }) => wrapper)
}

function endOf(wrapper: Wrapper, spans: readonly Span[], from: number): number {
  let index = from
  for (let span = spans[index]; span && isAround(wrapper, span) && index - from < MAX_EXTENT; span = spans[index])
    index++
  return index
}

const isSame = (a: Wrapper, b: Wrapper): boolean => ('link' in a ? 'link' in b : 'mark' in b && a.mark === b.mark)

/** In front of a link, an exclamation mark would make an image of it. */
const escapeText = (text: string): string => text.replaceAll(/[\\`*_~=[\]]|&(?=[#\p{L}\p{N}])|!$/gu, '\\$&')

const ENTITIES: Readonly<Record<string, string>> = { ' ': '&#32;', '\t': '&#9;' }

/** Spaces at the ends of a line would be left out. */
function protectEnds(line: string): string {
  const begin = ENTITIES[line.charAt(0)]
  const started = begin === undefined ? line : begin + line.slice(1)
  const end = ENTITIES[started.charAt(started.length - 1)]
  return end === undefined ? started : started.slice(0, -1) + end
}
