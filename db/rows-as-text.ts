/**
 * Encodes many rows as one text parameter: lines of cells, separated by control characters that neither people's texts nor
 * JSON contain. This is the cheapest form for the service to write and for PostgreSQL to split. Decision 0026.
 */

/** ASCII's record separator, unit separator, and group separator for null. */
export const [ROW_SEPARATOR, CELL_SEPARATOR, NULL_CELL] = ['\x1e', '\x1f', '\x1d'] as const

/** The SQL of a table `r` whose column `c` is the array of cells of a line. */
export const rowsFromText = (parameter: string): string =>
  `(select string_to_array(line, E'\\x1f', E'\\x1d') as c from string_to_table(${parameter}::text, E'\\x1e') as line offset 0) as r`

/** The SQL of the cells of `r`, cast to these types. */
export const cellsAsTypes = (types: readonly string[]): string =>
  types.map((type, index) => `r.c[${index + 1}]::${type}`).join(', ')

/** The SQL of the cells of `r`, each cast to its type and named as its column. `types` has them by column, in the order of the cells. */
export const cellsAsColumns = (types: Readonly<Record<string, string>>): string =>
  Object.entries(types)
    .map(([column, type], index) => `r.c[${index + 1}]::${type} as ${column}`)
    .join(', ')

/** The text of rows, with a cell for each of the columns, in their order. No value may have a separating character. */
export const rowsAsText = <Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, string | number | null>>[],
): string =>
  rows.map((row) => columns.map((column) => row[column] ?? NULL_CELL).join(CELL_SEPARATOR)).join(ROW_SEPARATOR)
