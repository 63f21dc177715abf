/** A table that a query may name. */

import type { EntityType } from '#engine/data-model/model'
import type { ColumnType } from './column-type'
import type { StatementParameters } from './statement-parameters'

/** The columns of tables that a query can mean. */
export interface ColumnUsage {
  /** Whether the query has `*` or another form that reads every column of a table. */
  readonly all: boolean
  readonly names: ReadonlySet<string>
  /** The columns that the query reads as a whole, not only fields of them. */
  readonly whole: ReadonlySet<string>
  /** Whether it reads rows as values, such as `to_json(people)`. */
  readonly rows: boolean
  /** Whether it also reads the nanoseconds of timestamps. */
  readonly nanoseconds: boolean
  /** The names in conditions. */
  readonly conditions: ReadonlySet<string>
}

export interface SqlTable {
  readonly schema: 'objects' | 'lists' | 'information_schema'
  readonly name: string
  /** The name of its common table expression. */
  readonly cte: string
  /** Null for the tables of `information_schema`. */
  readonly entityType: EntityType | null
  readonly columns: ReadonlyMap<string, ColumnType>
  /** The query that reads the used columns. */
  body(usage: ColumnUsage, parameters: StatementParameters): string
}
