/**
 * Reads the markup within lines: marks and links. Images are left out, code spans are literal text, and a link that a browser
 * could run is its text alone. markdown-it reads the text; its tokens become lines here.
 */

import MarkdownItParser, { type Token } from 'markdown-it'
import { type Line, lineFrom, MARK_NAMES, type MarkName, type Span, spanOf } from './document'
import { highlight } from './highlight'
import { literalCode } from './literal-code'
import { countSpecials, isWithinLine } from './markup-limits'

const parser = new MarkdownItParser('zero', { maxNesting: 100 })
parser.inline.ruler.enable(['newline', 'escape', 'backticks', 'strikethrough', 'emphasis', 'link', 'image', 'entity'])
parser.inline.ruler2.enable(['balance_pairs', 'strikethrough', 'emphasis', 'fragments_join'])
parser.use(highlight).use(literalCode)
// All links are read as links; `linkOf` drops the target of others than these.
parser.validateLink = () => true
parser.normalizeLink = (target) => target

const LINK_PATTERN = /^(?:https?:|mailto:|tel:)[^\s<>\p{Cc}]+$/iu

const isLinkTarget = (target: string): boolean => LINK_PATTERN.test(target)

/** No larger part is parsed at once, so that a caller can pause between two parts. */
const MAX_SPECIALS_AT_ONCE = 2000
const MAX_LINES_AT_ONCE = 200

/** Reads the lines of a paragraph, without spaces at their ends. Marks may reach over lines. Yields between parts. */
export function* parseLines(lines: readonly string[]): Generator<void, Line[]> {
  const parsed: Line[] = []
  for (const part of partsOf(lines)) {
    parsed.push(...(part.specials === 0 ? part.lines : tokensToLines(part.lines.join('\n'))))
    yield
  }
  return parsed
}

/** The same for one line that is not in a paragraph. */
export const parseLine = (line: string): Line => {
  const specials = countSpecials(line)
  return specials === 0 || !isWithinLine(line, specials) ? line : (tokensToLines(line)[0] ?? '')
}

interface Part {
  lines: string[]
  specials: number
}

function partsOf(lines: readonly string[]): Part[] {
  const parts: Part[] = []
  let part: Part | undefined
  for (const line of lines) {
    const specials = countSpecials(line)
    const isMarkup = isWithinLine(line, specials)
    if (!part || !isMarkup || part.lines.length >= MAX_LINES_AT_ONCE || part.specials > MAX_SPECIALS_AT_ONCE)
      parts.push((part = { lines: [], specials: 0 }))
    part.lines.push(line)
    if (isMarkup) part.specials += specials
    else part = undefined
  }
  return parts
}

/** The tokens that begin and end marks. */
const MARK_EDGES: Readonly<Record<string, { readonly mark: MarkName; readonly by: 1 | -1 }>> = {
  strong_open: { mark: 'bold', by: 1 },
  strong_close: { mark: 'bold', by: -1 },
  em_open: { mark: 'italic', by: 1 },
  em_close: { mark: 'italic', by: -1 },
  s_open: { mark: 'strikethrough', by: 1 },
  s_close: { mark: 'strikethrough', by: -1 },
  highlight_open: { mark: 'highlight', by: 1 },
  highlight_close: { mark: 'highlight', by: -1 },
}

function tokensToLines(text: string): Line[] {
  const tokens: Token[] = []
  parser.inline.parse(text, parser, {}, tokens)
  const lines = startLines()
  for (const token of tokens) {
    const edge = MARK_EDGES[token.type]
    if (edge !== undefined) lines.turn(edge.mark, edge.by)
    else if (token.type === 'link_open') lines.setLink(linkOf(token))
    else if (token.type === 'link_close') lines.setLink(undefined)
    else if (token.type === 'softbreak' || token.type === 'hardbreak') lines.add('\n')
    else if (token.type !== 'image' && token.content !== '') lines.add(token.content)
  }
  return lines.end()
}

function linkOf(token: Token): string | undefined {
  const target = String(token.attrGet('href') ?? '')
  return isLinkTarget(target) ? target : undefined
}

function startLines() {
  const lines: Line[] = []
  const depths: Partial<Record<MarkName, number>> = {}
  let marks: readonly MarkName[] = []
  let spans: Span[] = []
  let link: string | undefined
  const endLine = () => {
    lines.push(lineFrom(spans))
    spans = []
  }
  return {
    turn(mark: MarkName, by: 1 | -1) {
      depths[mark] = (depths[mark] ?? 0) + by
      marks = MARK_NAMES.filter((name) => (depths[name] ?? 0) > 0)
    },
    setLink(target: string | undefined) {
      link = target
    },
    add(text: string) {
      // A code span may reach over lines.
      for (const [index, part] of text.split('\n').entries()) {
        if (index > 0) endLine()
        spans.push(spanOf(part, marks, link))
      }
    },
    end() {
      endLine()
      return lines
    },
  }
}
