/** Writes the marks and links of a line as markdown, with or without escapes. */

import { type Line, type MarkName, MARK_NAMES, type Span } from './document'

const DELIMITERS: Readonly<Record<MarkName, string>> = { bold: '**', italic: '*', strikethrough: '~~', highlight: '==' }

/** A mark as its name, a link as its target. */
type Wrapper = { readonly mark: MarkName } | { readonly link: string }

/** How far ahead the order of marks is decided. */
const MAX_EXTENT = 32

/** Writes texts and targets of links. */
export interface Escapes {
  readonly text: (text: string) => string
  readonly target: (target: string) => string
}

export const WITHOUT_ESCAPES: Escapes = { text: (text) => text, target: (target) => target }

export const WITH_ESCAPES: Escapes = {
  text: (text) => text.replaceAll(/[\\`*_~=[\]]|&(?=[#a-z])/gi, '\\$&'),
  target: (target) => target.replaceAll(/[\\()&]/g, '\\$&'),
}

export function renderLine(line: Line, escapes: Escapes): string {
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
