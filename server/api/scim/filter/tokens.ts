/** Splits a filter into tokens. RFC 7644, 3.4.2.2; the literals are those of JSON, RFC 8259. */

import { invalidFilter } from '#base/errors/protocols/scim'
import { MAX_FILTER } from '#api/scim/limits'
import type { Operand } from './filter'

export type Token =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'literal'; readonly value: Operand }
  | { readonly kind: 'sign'; readonly text: '(' | ')' | '[' | ']' }

/** A text in quotes, a number, a word, a sign, or a space. A sub-attribute after a bracket begins with a dot. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\w.+-]*|[.a-z_$][\w.:$/-]*|[()[\]]|\s/giy

/** Throws 400 for a text that is longer than the limit, or has other characters. */
export function tokensOf(text: string): Token[] {
  if (text.length > MAX_FILTER) throw invalidFilter(`A filter has at most ${MAX_FILTER} characters.`)
  const tokens: Token[] = []
  let end = 0
  for (const [part] of text.matchAll(TOKEN)) {
    end += part.length
    if (part.trim() !== '') tokens.push(tokenOf(part))
  }
  if (end < text.length) throw invalidFilter(`Character ${end + 1} of the filter is not expected.`)
  return tokens
}

function tokenOf(part: string): Token {
  const [first = ''] = part
  if (first === '(' || first === ')' || first === '[' || first === ']') return { kind: 'sign', text: first }
  if (first === '"' || first === '-' || (first >= '0' && first <= '9'))
    return { kind: 'literal', value: literalOf(part) }
  const word = part.toLowerCase()
  // Identity providers also send `True`.
  if (word === 'true' || word === 'false') return { kind: 'literal', value: word === 'true' }
  return word === 'null' ? { kind: 'literal', value: null } : { kind: 'word', text: part }
}

function literalOf(part: string): Operand {
  try {
    return JSON.parse(part) as Operand // JSON text that begins with a quotation mark, a minus or a digit
  } catch {
    throw invalidFilter(`The filter has the value ${part.slice(0, 50)}, which is not JSON.`)
  }
}
