/** How a value is a column of SQL queries (docs/decisions/sql.md), and how the result of a formula is a value. */

/** A type of PostgreSQL that a column of SQL queries can have, beside arrays and the types of `relata_sql`. */
export type SqlScalar = 'text' | 'numeric' | 'boolean' | 'date' | 'timestamptz' | 'uuid'

export type SqlForm<Column extends string = string> =
  /** The content of one column, which `convert` may convert to the type. */
  | {
      readonly form: 'scalar'
      readonly type: SqlScalar
      readonly column: Column
      readonly convert?: (columnSql: string) => string
      /** The column with the nanoseconds below the microseconds of a timestamp. */
      readonly nanoseconds?: Column
    }
  /** The title of an option, of which the column has the number. */
  | { readonly form: 'option'; readonly column: Column }
  /** An actor, of which the column has the number. */
  | { readonly form: 'actor'; readonly column: Column }
  /** A record, with the column of its object's number and that of its id. */
  | { readonly form: 'reference'; readonly object: Column; readonly record: Column }
  /** A composite type of `relata_sql` with its fields, in their order. `actor` makes the id of an actor of its number. */
  | {
      readonly form: 'struct'
      readonly type: string
      readonly fields: readonly { readonly name: string; readonly column: Column; readonly actor?: true }[]
    }

/** The results of formulas that several types accept, in the spelling of PostgreSQL's `format_type`. */
export const NUMERIC_RESULTS = ['numeric', 'integer', 'bigint', 'smallint', 'double precision', 'real'] as const

/** SQL of whether a number is one: `NaN` and infinity are no values. */
export const isFinite = (number: string): string => `${number} not in ('NaN', 'Infinity', '-Infinity')`

/** SQL of a day or an instant, null before year 1 and after year 9999. */
export const withinYears = (time: string): string =>
  `case when ${time} >= '0001-01-01' and ${time} < '10000-01-01' then ${time} end`
