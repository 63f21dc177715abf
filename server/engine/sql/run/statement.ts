/** The statements that are sent for a text: as it is, limited to some rows, with records as JSON, and its plan. */

import type { DescribedColumn } from '#db/driver/row-messages'
import { isAnonymousRecord } from '#engine/sql/results/renderers'

export interface RoleStatement {
  readonly text: string
  /** PostgreSQL's texts of the parameters. */
  readonly parameters: readonly (string | null)[]
  /** As in `CompiledSql`. */
  readonly timestamps?: readonly number[] | undefined
  /** Returns the position in the caller's text, both in characters from 1. Null for a position in the service's own part. */
  toCallerPosition(position: number): number | null
}

/** Puts text before and after a statement. Line breaks end a comment at its end. */
function wrap(statement: RoleStatement, before: string, after: string): RoleStatement {
  const { text } = statement
  return {
    ...statement,
    text: `${before}\n${text}\n${after}`,
    toCallerPosition(position) {
      const inner = position - before.length - 1
      return inner < 1 || inner > text.length ? null : statement.toCallerPosition(inner)
    },
  }
}

/** PostgreSQL may use parallel workers for a limit in the statement, and not for one of a cursor. */
export const limitRows = (statement: RoleStatement, rows: number): RoleStatement =>
  wrap(statement, 'select * from (', `) t limit ${rows}`)

/** Has PostgreSQL make JSON of the records without names for their fields. */
export function columnsAsJson(statement: RoleStatement, columns: readonly DescribedColumn[]): RoleStatement {
  const names = columns.map((_, index) => `c${index}`)
  const list = columns.map(({ type }, index) => (isAnonymousRecord(type) ? `to_json(c${index})` : `c${index}`))
  return wrap(statement, `select ${list.join(', ')} from (`, `) t (${names.join(', ')})`)
}

export const explain = (statement: RoleStatement, options: string): RoleStatement =>
  wrap(statement, `explain (${options})`, '')
