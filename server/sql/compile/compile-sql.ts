/** Compiles the SQL of a caller to the statement that PostgreSQL runs. See docs/decisions/0100-sql-by-edits.md. */

import type { DataModel, EntityType } from '../../data-model/model'
import { SqlRefused } from './sql-refused'

export interface SqlScope {
  readonly model: DataModel
  /** The objects and lists that the caller may read. */
  readonly entityTypes: readonly EntityType[]
}

export interface CompiledSql {
  readonly text: string
  /** They come after the caller's parameters. */
  readonly parameters: readonly unknown[]
  /** The objects and lists that the text reads. */
  readonly entityTypes: readonly EntityType[]
  /** Maps a position in `text` to one in the caller's text, both in characters from 1. Null when it lies in the service's part. */
  toCallerPosition(position: number): number | null
}

/** Throws `SqlRefused` for a text that is not one read-only query over the tables of the scope. */
export function compileSql(_scope: SqlScope, _text: string, _parameterCount: number): CompiledSql {
  throw new SqlRefused('not available')
}
