/**
 * A block document: a text in lines. Each block is one line, so the plain text of a document has as many lines as the document
 * has blocks. An empty line is an empty paragraph. See docs/decisions/notes.md.
 */

/** The marks of a text, in the order in which they are stored. */
export const MARK_NAMES = ['bold', 'italic', 'strikethrough', 'highlight'] as const

export type MarkName = (typeof MARK_NAMES)[number]

/** A part of a line whose characters have the same marks. */
export interface Span {
  readonly text: string
  readonly marks?: readonly MarkName[]
  /** The target of a link. */
  readonly link?: string
}

/** The text of a line. Without marks and links it is a string. */
export type Line = string | readonly Span[]

export interface Heading {
  readonly heading: 1 | 2 | 3
  readonly text: Line
}

/** An item of a list. `indent` is 0 for an item that is not in another one. Numbered items have no stored number. */
export interface ListItem {
  readonly item: 'bullet' | 'number'
  readonly indent: number
  readonly text: Line
}

/** A line alone is a paragraph, which keeps documents without markup small. */
export type Block = Line | Heading | ListItem

export type BlockDocument = readonly Block[]

export const MAX_INDENT = 8

export const isParagraph = (block: Block): block is Line => typeof block === 'string' || Array.isArray(block)

export const lineOf = (block: Block): Line => (isParagraph(block) ? block : block.text)

export const textOf = (line: Line): string => (typeof line === 'string' ? line : line.map(({ text }) => text).join(''))

/** Joins spans to a line: drops empty spans, removes marks from spaces at their ends, and joins neighbours with equal marks. */
export function lineFrom(spans: readonly Span[]): Line {
  const joined: Span[] = []
  for (const span of spans.some(hasMarkedEnd) ? withoutMarkedEnds(spans) : spans) {
    if (span.text === '') continue
    const last = joined.at(-1)
    if (last && haveSameMarks(last, span)) joined[joined.length - 1] = { ...last, text: last.text + span.text }
    else joined.push(span)
  }
  const [first] = joined
  if (first === undefined) return ''
  return joined.length === 1 && isPlain(first) ? first.text : joined
}

const hasMarkedEnd = ({ text, marks }: Span): boolean => marks !== undefined && text.trim().length < text.length

const isPlain = ({ marks, link }: Span): boolean => marks === undefined && link === undefined

const haveSameMarks = (a: Span, b: Span): boolean =>
  a.link === b.link && (a.marks === b.marks || (a.marks ?? []).join() === (b.marks ?? []).join())

/**
 * Markdown has no marked text that begins or ends with a space. A space between two texts keeps the marks that both have. Links
 * keep their spaces.
 */
function withoutMarkedEnds(spans: readonly Span[]): Span[] {
  const parts = spans.flatMap(separateSpaces)
  const next = marksOfNext(parts)
  let before: readonly MarkName[] = []
  return parts.map((part, index) => {
    const { text, marks = [], link } = part
    if (!isSpace(text)) {
      before = marks
      return part
    }
    const kept = marks.filter((mark) => before.includes(mark) && next[index]?.includes(mark) === true)
    return spanOf(text, kept, link)
  })
}

/** The spaces at the ends of a span, and what is between them. */
function separateSpaces({ text, marks = [], link }: Span): Span[] {
  const begin = text.length - text.trimStart().length
  const end = Math.max(begin, text.trimEnd().length)
  return [text.slice(0, begin), text.slice(begin, end), text.slice(end)]
    .filter((part) => part !== '')
    .map((part) => spanOf(part, marks, link))
}

/** For each part, the marks of the first text behind it. */
function marksOfNext(parts: readonly Span[]): (readonly MarkName[])[] {
  let next: readonly MarkName[] = []
  return parts
    .toReversed()
    .map(({ text, marks = [] }) => {
      const result = next
      if (!isSpace(text)) next = marks
      return result
    })
    .toReversed()
}

const isSpace = (text: string): boolean => text.trimStart() === ''

/** A span without members that say nothing. */
export const spanOf = (text: string, marks: readonly MarkName[], link: string | undefined): Span => ({
  text,
  ...(marks.length > 0 && { marks }),
  ...(link !== undefined && { link }),
})

export function isSameLine(a: Line, b: Line): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b
  return (
    a.length === b.length &&
    a.every((span, index) => {
      const other = b[index]
      return other !== undefined && span.text === other.text && haveSameMarks(span, other)
    })
  )
}

/** Lines end with LF, CR LF or CR. Yields often, so that a caller can pause. */
export function* splitLines(text: string): Generator<void, string[]> {
  let joined = text
  for (const end of text.includes('\r') ? ['\r\n', '\r'] : []) {
    joined = joined.replaceAll(end, '\n')
    yield
  }
  return joined.split('\n')
}

/** Each line of plain text is a paragraph. */
export const parsePlainText: (text: string) => Generator<void, BlockDocument> = splitLines

export const renderPlainText = (blocks: BlockDocument): string =>
  blocks.map((block) => textOf(lineOf(block))).join('\n')
