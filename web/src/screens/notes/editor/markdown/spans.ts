/** The text of a block in spans, with the marks that markdown can express. */

import type { Node } from 'prosemirror-model'
import { schema } from '../schema'

export const MARK_NAMES = ['bold', 'italic', 'strikethrough', 'highlight'] as const

export type MarkName = (typeof MARK_NAMES)[number]

export interface Span {
  readonly text: string
  readonly marks: readonly MarkName[]
  /** The target of a link. */
  readonly link: string | undefined
}

/** Stands for an image until the line is written. Marks take it as the punctuation mark with which an image begins. */
export const IMAGE = '\uFFFC'

const textOf = ({ text = '' }: Node): string => text.replaceAll(LINE_BREAK_PATTERN, ' ').replaceAll(IMAGE, '')

export function spansOf(block: Node): Span[] {
  const spans: Span[] = []
  block.forEach((node) => {
    const marks = MARK_NAMES.filter((name) => schema.marks[name].isInSet(node.marks))
    const link: string | undefined = schema.marks.link.isInSet(node.marks)?.attrs.href
    const text = node.type === schema.nodes.image ? IMAGE : textOf(node)
    spans.push({ text, marks, link })
  })
  return spans
}

/** A mark of markdown cannot end with a space, nor with a punctuation mark in front of a letter. Such ends lose the mark. */
export function withExpressibleMarks(spans: readonly Span[]): Span[] {
  // The ends of marks depend on single characters.
  const parts = spans.flatMap((span) => (span.text.match(CLASS_PATTERN) ?? []).map((text) => ({ ...span, text })))
  return joined(MARK_NAMES.reduce(withExpressibleEnds, parts))
}

const LINE_BREAK_PATTERN = /[\r\n]+/g
/** White space together; punctuation marks one by one; all other characters together. */
const CLASS_PATTERN = /\s+|[\p{P}\p{S}]|[^\s\p{P}\p{S}]+/gu
const SPACE_PATTERN = /^\s/
const PUNCTUATION_PATTERN = /^[\p{P}\p{S}]/u

const isSpace = (span: Span | undefined): boolean => span === undefined || SPACE_PATTERN.test(span.text)
const isPunctuation = (span: Span | undefined): boolean => span !== undefined && PUNCTUATION_PATTERN.test(span.text)
const isLetters = (span: Span | undefined): boolean => !isSpace(span) && !isPunctuation(span)

/** Goes over the spans in both directions, so that the beginning of a marked text is treated as its end is. */
function withExpressibleEnds(spans: readonly Span[], mark: MarkName): Span[] {
  return withExpressibleEnd(withExpressibleEnd(spans.toReversed(), mark).toReversed(), mark)
}

function withExpressibleEnd(spans: Span[], mark: MarkName): Span[] {
  for (let index = spans.length - 1; index >= 0; index--) {
    const [span, next] = [spans[index], spans[index + 1]]
    if (span === undefined || !span.marks.includes(mark) || next?.marks.includes(mark)) continue
    // The brackets of a link are punctuation marks.
    const isBeforeLetters = isLetters(next) && next?.link === span.link
    const endsInLink = span.link !== undefined && next?.link !== span.link && isLetters(next)
    if (isSpace(span) || (isPunctuation(span) && isBeforeLetters) || endsInLink)
      spans[index] = { ...span, marks: span.marks.filter((each) => each !== mark) }
  }
  return spans
}

/** Without boundaries between spans of the same marks. */
function joined(spans: readonly Span[]): Span[] {
  const found: Span[] = []
  for (const span of spans) {
    const last = found.at(-1)
    if (last && last.link === span.link && last.marks.join() === span.marks.join())
      found[found.length - 1] = { ...last, text: last.text + span.text }
    else found.push(span)
  }
  return found
}
