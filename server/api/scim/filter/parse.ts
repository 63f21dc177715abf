/** Parses filters. `and` binds more closely than `or`. See docs/decisions/scim.md. */

import { invalidFilter } from '#base/errors/protocols'
import { SCIM_LIMITS } from '#api/scim/scim-context'

/** Throws 400 `invalidFilter`. */
export function parseScimFilter(text: string): ScimFilter {
  const parser = new Parser(tokensOf(text))
  const filter = parser.alternatives()
  parser.requireEnd()
  return filter
}

const isOperator = (word: string): word is ScimOperator => (OPERATORS as readonly string[]).includes(word)

class Parser {
  #next = 0
  #depth = 0
  #comparisons = 0

  constructor(readonly tokens: readonly Token[]) {}

  requireEnd(): void {
    if (this.#next < this.tokens.length) throw this.#unexpected()
  }

  /** Conditions that are joined with `or`. */
  alternatives(): ScimFilter {
    const filters = [this.#conjunction()]
    while (this.#takeWord('or')) filters.push(this.#conjunction())
    const [first] = filters
    return filters.length === 1 && first !== undefined ? first : { kind: 'or', filters }
  }

  #conjunction(): ScimFilter {
    const filters = [this.#condition()]
    while (this.#takeWord('and')) filters.push(this.#condition())
    const [first] = filters
    return filters.length === 1 && first !== undefined ? first : { kind: 'and', filters }
  }

  #condition(): ScimFilter {
    if (this.#takeSign('(')) return this.#within(')')
    const token = this.tokens[this.#next]
    if (token?.kind !== 'word') throw this.#unexpected()
    this.#next++
    if (token.text.toLowerCase() === 'not' && this.#takeSign('(')) return { kind: 'not', filter: this.#within(')') }
    return this.#expression(attributeName(token.text))
  }

  #expression(attribute: string): ScimFilter {
    if (++this.#comparisons > SCIM_LIMITS.comparisons)
      throw invalidFilter(`A filter has at most ${SCIM_LIMITS.comparisons} comparisons.`)
    if (this.#takeSign('[')) return this.#valuesOf(attribute)
    const token = this.tokens[this.#next++]
    const operator = token?.kind === 'word' ? token.text.toLowerCase() : ''
    if (operator === 'pr') return { kind: 'present', attribute }
    if (!isOperator(operator)) throw invalidFilter(`The filter needs an operator after ${quote(attribute)}.`)
    const operand = this.tokens[this.#next++]
    if (operand?.kind !== 'literal') throw invalidFilter(`The filter needs a value in quotes after "${operator}".`)
    return { kind: 'compare', attribute, operator, operand: operand.value }
  }

  /** `emails[type eq "work"].value eq "x"` is a condition of the same value as the filter in brackets. */
  #valuesOf(attribute: string): ScimFilter {
    const filter = this.#within(']')
    const token = this.tokens[this.#next]
    if (token?.kind !== 'word' || !token.text.startsWith('.')) return { kind: 'values', attribute, filter }
    this.#next++
    const further = this.#expression(attributeName(token.text.slice(1)))
    return { kind: 'values', attribute, filter: { kind: 'and', filters: [filter, further] } }
  }

  #within(end: ')' | ']'): ScimFilter {
    if (++this.#depth > SCIM_LIMITS.filterDepth)
      throw invalidFilter(`A filter is nested at most ${SCIM_LIMITS.filterDepth} times.`)
    const filter = this.alternatives()
    if (!this.#takeSign(end)) throw invalidFilter(`The filter lacks a "${end}".`)
    this.#depth--
    return filter
  }

  #takeSign(sign: '(' | ')' | '[' | ']'): boolean {
    const token = this.tokens[this.#next]
    const isNext = token?.kind === 'sign' && token.text === sign
    if (isNext) this.#next++
    return isNext
  }

  #takeWord(word: 'and' | 'or'): boolean {
    const token = this.tokens[this.#next]
    const isNext = token?.kind === 'word' && token.text.toLowerCase() === word
    if (isNext) this.#next++
    return isNext
  }

  #unexpected() {
    const token = this.tokens[this.#next]
    if (token === undefined) return invalidFilter('The filter ends too early.')
    const text = token.kind === 'literal' ? JSON.stringify(token.value) : token.text
    return invalidFilter(`The filter has an unexpected ${quote(text)}.`)
  }
}

const quote = (text: string): string => `"${text.slice(0, 50)}"`

/** Splits a filter into tokens. RFC 7644, 3.4.2.2; the literals are those of JSON, RFC 8259. */
type Token =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'literal'; readonly value: ScimOperand }
  | { readonly kind: 'sign'; readonly text: '(' | ')' | '[' | ']' }

/** A text in quotes, a number, a word, a sign, or a space. A sub-attribute after a bracket begins with a dot. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\w.+-]*|[.a-z_$][\w.:$/-]*|[()[\]]|\s/giy

/** Throws 400 for a text that is longer than the limit, or has other characters. */
function tokensOf(text: string): Token[] {
  if (text.length > SCIM_LIMITS.filterLength)
    throw invalidFilter(`A filter has at most ${SCIM_LIMITS.filterLength} characters.`)
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

function literalOf(part: string): ScimOperand {
  try {
    return JSON.parse(part) as ScimOperand // JSON text that begins with a quotation mark, a minus or a digit
  } catch {
    throw invalidFilter(`The filter has the value ${part.slice(0, 50)}, which is not JSON.`)
  }
}

/** The tree of a filter. RFC 7644, 3.4.2.2. */

const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const

export type ScimOperator = (typeof OPERATORS)[number]
export type ScimOperand = string | number | boolean | null

export type ScimFilter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly ScimFilter[] }
  | { readonly kind: 'not'; readonly filter: ScimFilter }
  | { readonly kind: 'present'; readonly attribute: string }
  | {
      readonly kind: 'compare'
      readonly attribute: string
      readonly operator: ScimOperator
      readonly operand: ScimOperand
    }
  /** `emails[type eq "work"]`: a filter of the values of an attribute. */
  | { readonly kind: 'values'; readonly attribute: string; readonly filter: ScimFilter }

/** The names of attributes. Upper and lower case are the same in them, and in the URNs of schemas before them. */

export const CORE = 'urn:ietf:params:scim:schemas:core:2.0:'

/** Returns the name in lower case without the URN of the schema of users or groups. The name of another schema keeps its URN. */
export function attributeName(text: string): string {
  const name = text.toLowerCase()
  for (const kind of ['user', 'group']) {
    const urn = `${CORE}${kind}`.toLowerCase()
    if (name === urn) return ''
    if (name.startsWith(`${urn}:`)) return name.slice(urn.length + 1)
  }
  return name
}
