/** The highlight of our markdown, `==text==`, for markdown-it. It works as the parser's own rule for `~~text~~` does. */

import type { Delimiter, MarkdownIt, StateInline } from 'markdown-it'

const EQUALS_SIGN = 0x3d

export function highlight(md: MarkdownIt): void {
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
