/** Compiles the operators on parts of text, which ignore case. See docs/reference/query.md (Operators). */

import { textSortKey, SORT_KEY_LENGTH } from '#engine/indexes/expressions'
import type { StatementBuilder } from './statement-builder'

const TRIGRAM = /[\p{L}\p{N}]{3}/u

/** Whether a trigram index can look up a text. For a shorter text, PostgreSQL would read the whole index. */
export const hasTrigram = (text: string): boolean => TRIGRAM.test(text)

/** SQL that holds when the text of `sql` contains, begins or ends with the operand. */
export function matchText(builder: StatementBuilder, sql: string, operator: string, operand: string): string {
  const isIndexed = hasTrigram(operand)
  switch (operator) {
    case '$contains':
      if (isIndexed) return `${sql} ilike ${builder.bind(`%${escapeWildcards(operand)}%`, 'text')}`
      return `strpos(lower(${sql}), lower(${builder.bind(operand, 'text')})) > 0`
    case '$starts_with':
      return `${prefixSubject(sql, operand)} like lower(${builder.bind(`${escapeWildcards(operand)}%`, 'text')})`
    case '$ends_with':
      if (isIndexed) return `${sql} ilike ${builder.bind(`%${escapeWildcards(operand)}`, 'text')}`
      return `right(lower(${sql}), ${[...operand].length}) = lower(${builder.bind(operand, 'text')})`
    default:
      throw new Error(`${operator} is not an operator on parts of text.`)
  }
}

/** The expression of sorts, so that one index serves both. Lower case makes a text at most three times as long. */
const prefixSubject = (sql: string, operand: string): string =>
  operand.length * 3 <= SORT_KEY_LENGTH ? textSortKey(sql) : `lower(${sql})`

const escapeWildcards = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
