/** Parses filters. `and` binds more closely than `or`. Decision 0105. */

import { invalidFilter } from '#base/errors/protocols/scim'
import { MAX_COMPARISONS, MAX_FILTER_DEPTH } from '#api/scim/limits'
import { attributeName } from './attribute-name'
import { OPERATORS, type Filter, type Operator } from './filter'
import { type Token, tokensOf } from './tokens'

/** Throws 400 `invalidFilter`. */
export function parseFilter(text: string): Filter {
  const parser = new Parser(tokensOf(text))
  const filter = parser.alternatives()
  parser.requireEnd()
  return filter
}

const isOperator = (word: string): word is Operator => (OPERATORS as readonly string[]).includes(word)

class Parser {
  #next = 0
  #depth = 0
  #comparisons = 0

  constructor(readonly tokens: readonly Token[]) {}

  requireEnd(): void {
    if (this.#next < this.tokens.length) throw this.#unexpected()
  }

  /** Conditions that are joined with `or`. */
  alternatives(): Filter {
    const filters = [this.#conjunction()]
    while (this.#takeWord('or')) filters.push(this.#conjunction())
    const [first] = filters
    return filters.length === 1 && first !== undefined ? first : { kind: 'or', filters }
  }

  #conjunction(): Filter {
    const filters = [this.#condition()]
    while (this.#takeWord('and')) filters.push(this.#condition())
    const [first] = filters
    return filters.length === 1 && first !== undefined ? first : { kind: 'and', filters }
  }

  #condition(): Filter {
    if (this.#takeSign('(')) return this.#within(')')
    const token = this.tokens[this.#next]
    if (token?.kind !== 'word') throw this.#unexpected()
    this.#next++
    if (token.text.toLowerCase() === 'not' && this.#takeSign('(')) return { kind: 'not', filter: this.#within(')') }
    return this.#expression(attributeName(token.text))
  }

  #expression(attribute: string): Filter {
    if (++this.#comparisons > MAX_COMPARISONS)
      throw invalidFilter(`A filter has at most ${MAX_COMPARISONS} comparisons.`)
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
  #valuesOf(attribute: string): Filter {
    const filter = this.#within(']')
    const token = this.tokens[this.#next]
    if (token?.kind !== 'word' || !token.text.startsWith('.')) return { kind: 'values', attribute, filter }
    this.#next++
    const further = this.#expression(attributeName(token.text.slice(1)))
    return { kind: 'values', attribute, filter: { kind: 'and', filters: [filter, further] } }
  }

  #within(end: ')' | ']'): Filter {
    if (++this.#depth > MAX_FILTER_DEPTH) throw invalidFilter(`A filter is nested at most ${MAX_FILTER_DEPTH} times.`)
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
