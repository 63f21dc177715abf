/**
 * Many rows as one text: lines of cells, apart by characters that are in no text people write, nor raw in any JSON. Nothing
 * is cheaper for PostgreSQL to take apart, and for us to put together. docs/decisions/0026.
 */

/** ASCII's own: record, unit and group separator. */
export const [LINE, CELL, NOTHING] = ['\x1e', '\x1f', '\x1d'] as const

/** The SQL of such a text, which a parameter holds: rows of the name `r`, whose `c` are the cells. */
export const linesIn = (parameter: string): string =>
  `(select string_to_array(line, E'\\x1f', E'\\x1d') as c from string_to_table(${parameter}::text, E'\\x1e') as line offset 0) as r`

/** The cells of such a row as values of these SQL types. */
export const cellsAs = (types: readonly string[]): string =>
  types.map((type, index) => `r.c[${index + 1}]::${type}`).join(', ')
