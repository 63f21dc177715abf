/**
 * Reads the markup within lines: marks and links. Code spans, and images of files of the service, are literal text, and a link that a browser
 * could run is its text alone. markdown-it reads the text; its tokens become lines here.
 */
import MarkdownItParser, { type Delimiter, type MarkdownIt, type StateInline, type Token } from 'markdown-it'
import { isImagePath } from '#vocabulary/note-images'
import { type Line, lineFrom, MARK_NAMES, type MarkName, type Span, spanOf } from './document'

/** Code spans for markdown-it: their text with its backticks is literal text. */
const BACKTICK = 0x60

function literalCode(md: MarkdownIt): void {
  md.inline.ruler.at('backticks', (state, silent) => {
    if (state.src.charCodeAt(state.pos) !== BACKTICK) return false
    const begin = state.pos
    const end = endOfRun(state.src, begin)
    state.pos = findClosing(state, end, end - begin) ?? end
    if (!silent) state.pending += state.src.slice(begin, state.pos)
    return true
  })
}

/** The ends of all runs of backticks in a text, by length and in order. */
type Runs = ReadonlyMap<number, readonly number[]>

const runsOfText = new WeakMap<StateInline, Runs>()

/** The end of the next run of this length, within the part of the text that is being read. */
function findClosing(state: StateInline, from: number, length: number): number | undefined {
  let runs = runsOfText.get(state)
  if (!runs) runsOfText.set(state, (runs = findRuns(state.src)))
  const ends = runs.get(length) ?? []
  const end = ends[firstAfter(ends, from)]
  return end !== undefined && end <= state.posMax ? end : undefined
}

function findRuns(text: string): Runs {
  const runs = new Map<number, number[]>()
  for (let at = text.indexOf('`'); at !== -1;) {
    const end = endOfRun(text, at)
    const ends = runs.get(end - at)
    if (ends) ends.push(end)
    else runs.set(end - at, [end])
    at = text.indexOf('`', end)
  }
  return runs
}

function endOfRun(text: string, begin: number): number {
  let end = begin
  while (text.charCodeAt(end) === BACKTICK) end++
  return end
}

/** The index of the first number greater than `limit` in an ascending list. */
function firstAfter(ascending: readonly number[], limit: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? Infinity) > limit) high = middle
    else low = middle + 1
  }
  return low
}

/** The highlight of our markdown, `==text==`, for markdown-it. It works as the parser's own rule for `~~text~~` does. */
const EQUALS_SIGN = 0x3d

function highlight(md: MarkdownIt): void {
  md.inline.ruler.before('emphasis', 'highlight', readDelimiters)
  // After the parser has paired the delimiters.
  md.inline.ruler2.after('balance_pairs', 'highlight', (state) => {
    replacePairs(state, state.delimiters)
    for (const meta of state.tokens_meta) if (meta?.delimiters) replacePairs(state, meta.delimiters)
  })
}

/** Makes a text token and a delimiter of every two signs of a run. A third sign is text. */
function readDelimiters(state: StateInline, silent: boolean): boolean {
  if (silent || state.src.charCodeAt(state.pos) !== EQUALS_SIGN) return false
  const { length, can_open: open, can_close: close } = state.scanDelims(state.pos, true)
  if (length < 2) return false
  if (length % 2 === 1) state.pending += '='
  for (let at = length % 2; at < length; at += 2) {
    state.push('text', '', 0).content = '=='
    const token = state.tokens.length - 1
    state.delimiters.push({ marker: EQUALS_SIGN, length: 0, token, end: -1, open, close })
  }
  state.pos += length
  return true
}

function replacePairs({ tokens }: StateInline, delimiters: readonly Delimiter[]): void {
  for (const { marker, token, end } of delimiters) {
    const closing = delimiters[end]
    if (marker !== EQUALS_SIGN || closing === undefined) continue
    replaceToken(tokens[token], 'highlight_open', 1)
    replaceToken(tokens[closing.token], 'highlight_close', -1)
  }
}

function replaceToken(token: StateInline['tokens'][number] | undefined, type: string, nesting: 1 | -1): void {
  if (token) Object.assign(token, { type, nesting, content: '' })
}

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
    else if (token.type === 'image') lines.add(imageOf(token))
    else if (token.content !== '') lines.add(token.content)
  }
  return lines.end()
}

/** An image of a file of the service is literal text. Others are left out: their hosts would learn who reads the note. */
function imageOf(token: Token): string {
  const address = String(token.attrGet('src') ?? '')
  return isImagePath(address) ? `![${token.content.replaceAll('\n', ' ')}](${address})` : ''
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

/**
 * Limits how much of a text is parsed as markup. The parser takes up to a microsecond for each special character. Lines beyond
 * these limits stay literal; texts that people write stay far below them.
 */
const MAX_IN_DOCUMENT = 50_000
const MAX_IN_LINE = 5000
const MAX_LINE_LENGTH = 100_000

const SPECIAL = new Uint8Array(128)
for (const character of '\\`*_~=[]&') SPECIAL[character.charCodeAt(0)] = 1

/** The characters that can begin or end markup within a line. */
export function countSpecials(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) count += SPECIAL[text.charCodeAt(at)] ?? 0
  return count
}

export const isWithinLine = (line: string, specials: number): boolean =>
  specials <= MAX_IN_LINE && (specials === 0 || line.length <= MAX_LINE_LENGTH)

/** How many of the first lines of a document may hold markup. Lines that may begin a heading or an item count as well. */
export function countMarkupLines(lines: readonly string[]): number {
  let sum = 0
  for (const [index, line] of lines.entries()) {
    if (line === '') continue
    sum += countSpecials(line) + (BLOCK_STARTS.includes(line.charAt(indentOf(line))) ? 1 : 0)
    if (sum > MAX_IN_DOCUMENT) return index
  }
  return lines.length
}

const BLOCK_STARTS = '-+#0123456789'

function indentOf(line: string): number {
  let at = 0
  while (line.charCodeAt(at) === 0x20 || line.charCodeAt(at) === 0x09) at++
  return at
}
