/**
 * The text of an HTML document, as a person reads it without styles, links and pictures. `htmlparser2` splits the document into tags and texts
 * in linear time. No tree is made, so the nesting of hostile documents costs nothing. See docs/decisions/email-texts.md.
 */

import { Tokenizer } from 'htmlparser2'

/** Elements whose contents are not text. Scripts, styles and titles are among those that the tokenizer reads up to their end tag. */
const HIDDEN = new Set(['script', 'style', 'title', 'textarea', 'template', 'svg', 'math', 'object', 'iframe', 'noembed', 'noframes', 'select', 'audio', 'video', 'canvas']) // prettier-ignore
/** Elements that stand apart from what is around them by an empty line. */
const PARAGRAPHS = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'dl', 'table', 'blockquote', 'pre', 'hr', 'figure']) // prettier-ignore
/** Elements that begin and end a line. */
const LINES = new Set(['div', 'li', 'tr', 'dt', 'dd', 'body', 'section', 'article', 'header', 'footer', 'main', 'nav', 'aside', 'address', 'center', 'form', 'fieldset', 'legend', 'caption', 'option', 'figcaption']) // prettier-ignore
const CELLS = new Set(['td', 'th'])

/** The tokenizer gets so many characters before the computation may pause. */
const CHUNK = 8_192

/** At most `maxLength` characters. Yields where the computation may pause. */
export function* textOfHtml(html: string, maxLength: number): Generator<void, string> {
  const lines = createLines(maxLength)
  let hidden: { readonly name: string; depth: number } | undefined
  const nameAt = (start: number, end: number) => html.slice(start, Math.min(end, start + MAX_NAME)).toLowerCase()
  let opened = ''
  /** How many elements are open in which line feeds count. */
  let preformatted = 0

  function open(name: string): void {
    opened = name
    if (hidden !== undefined) {
      if (hidden.name === name) hidden.depth++
      return
    }
    if (HIDDEN.has(name)) hidden = { name, depth: 1 }
    else if (name === 'br') lines.end()
    else separate(name)
    if (name === 'pre') preformatted++
    if (name === 'li') lines.mark('- ')
  }

  function close(name: string): void {
    if (hidden !== undefined) {
      if (hidden.name === name && --hidden.depth === 0) hidden = undefined
      return
    }
    separate(name)
    if (name === 'pre') preformatted = Math.max(0, preformatted - 1)
    if (name === 'li') lines.mark('')
  }

  function separate(name: string): void {
    if (PARAGRAPHS.has(name)) lines.separate(2)
    else if (LINES.has(name)) lines.separate(1)
    else if (CELLS.has(name)) lines.write(' ')
  }

  function write(text: string): void {
    if (hidden !== undefined) return
    if (preformatted === 0) return lines.write(text)
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) lines.end()
      lines.write(line)
    }
  }

  const tokenizer = new Tokenizer(
    { decodeEntities: true, xmlMode: false },
    {
      ...NOTHING,
      onopentagname: (start, end) => open(nameAt(start, end)),
      // `<svg/>` has no contents.
      onselfclosingtag: () => {
        if (hidden?.name === opened && hidden.depth > 0 && SELF_CLOSING.has(opened)) close(opened)
      },
      onclosetag: (start, end) => close(nameAt(start, end)),
      ontext: (start, end) => write(html.slice(start, end)),
      ontextentity: (codePoint) => write(String.fromCodePoint(codePoint)),
    },
  )
  for (let at = 0; at < html.length && !lines.isFull; at += CHUNK) {
    tokenizer.write(html.slice(at, at + CHUNK))
    yield
  }
  if (!lines.isFull) tokenizer.end()
  return lines.text()
}

/** Longer names are of no element above. */
const MAX_NAME = 20
/** Hidden elements that a tag such as `<svg/>` ends as well. */
const SELF_CLOSING = new Set(['svg', 'math'])

const nothing = () => {}
const NOTHING = {
  onattribdata: nothing,
  onattribentity: nothing,
  onattribend: nothing,
  onattribname: nothing,
  oncdata: nothing,
  oncomment: nothing,
  ondeclaration: nothing,
  onend: nothing,
  onopentagend: nothing,
  onprocessinginstruction: nothing,
}

interface Lines {
  /** Whether the text has as many characters as it may. */
  readonly isFull: boolean
  /** Runs of white space become one space. */
  write(text: string): void
  /** Ends the line. */
  end(): void
  /** Ends the line so that at least `count` line feeds stand before the next text. */
  separate(count: number): void
  /** Stands before the next text. */
  mark(text: string): void
  text(): string
}

/** Characters without a width, with which senders fill what a list of emails shows of the text. */
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]|\u034f/g
/** At most one empty line. */
const MAX_BREAKS = 2

function createLines(maxLength: number): Lines {
  const parts: string[] = []
  let length = 0
  let breaks = 0
  let hasSpace = false
  let marked = ''

  function append(...texts: readonly string[]): void {
    parts.push(...texts)
    for (const text of texts) length += text.length
    lines.isFull = length >= maxLength
  }

  const lines = {
    isFull: false,
    write(given: string) {
      const text = given.replace(INVISIBLE, '').replace(/\s+/g, ' ')
      const words = text.trim()
      hasSpace ||= text.startsWith(' ')
      if (words === '') return
      const isFirst = length === 0
      append(isFirst ? '' : breaks > 0 ? '\n'.repeat(breaks) : hasSpace ? ' ' : '', marked, words)
      breaks = 0
      marked = ''
      hasSpace = text.endsWith(' ')
    },
    end() {
      breaks = Math.min(MAX_BREAKS, breaks + 1)
    },
    separate(count: number) {
      breaks = Math.max(breaks, count)
    },
    mark(text: string) {
      marked = text
    },
    text: () => parts.join('').slice(0, maxLength),
  }
  return lines
}
