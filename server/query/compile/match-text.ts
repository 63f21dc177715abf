/** Parts of text, whatever its capitals. See docs/reference/query.md (Operators). */

import { textSortKey, SORT_KEY_LENGTH } from '../../indexes/expressions'
import type { StatementBuilder } from './statement-builder'

const TRIGRAM = /[\p{L}\p{N}]{3}/u

/** Whether a trigram index can look a text up; for anything shorter it would be read from end to end. */
export const hasTrigram = (text: string): boolean => TRIGRAM.test(text)

/** SQL that holds when the text of `sql` contains, begins or ends with the operand. */
export function matchText(builder: StatementBuilder, sql: string, operator: string, operand: string): string {
  const isIndexed = hasTrigram(operand)
  switch (operator) {
    case '$contains':
      if (isIndexed) return `${sql} ilike ${builder.bind(`%${literally(operand)}%`, 'text')}`
      return `strpos(lower(${sql}), lower(${builder.bind(operand, 'text')})) > 0`
    case '$starts_with':
      return `${startOf(sql, operand)} like lower(${builder.bind(`${literally(operand)}%`, 'text')})`
    case '$ends_with':
      if (isIndexed) return `${sql} ilike ${builder.bind(`%${literally(operand)}`, 'text')}`
      return `right(lower(${sql}), ${[...operand].length}) = lower(${builder.bind(operand, 'text')})`
    default:
      throw new Error(`${operator} is no operator on parts of text.`)
  }
}

/** In the form that sorting has, an ordinary index serves both. Lower-case texts may be longer, three times at most. */
const startOf = (sql: string, operand: string): string =>
  operand.length * 3 <= SORT_KEY_LENGTH ? textSortKey(sql) : `lower(${sql})`

/** Without wildcards. */
const literally = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
