/** Lines of CSV files (RFC 4180) that people open in spreadsheets. */

/** The beginning of a text that a spreadsheet takes for a formula. */
const FORMULA = /^[=+\-@\t\r]/
const NEEDS_QUOTES = /[",\r\n\uFEFF]|^ | $/

/** One row of a file: a text that a spreadsheet would take for a formula is escaped. */
export const csvLine = (cells: readonly unknown[]): string => csvLines([cells])

/** Rows of a file, at least one. `raw` leaves formulas unescaped, for programs that read the file. */
export const csvLines = (rows: readonly (readonly unknown[])[], { raw = false } = {}): string =>
  rows.map((cells) => `${cells.map((cell) => csvCell(cell, raw)).join(',')}\r\n`).join('')

/** Null is an empty cell. Numbers and booleans are never formulas. */
function csvCell(cell: unknown, raw: boolean): string {
  if (cell === null || cell === undefined) return ''
  return csvText(String(cell), { raw: raw || typeof cell === 'number' || typeof cell === 'boolean' })
}

/** The cell of a text. `raw` leaves a formula unescaped. */
export function csvText(text: string, { raw = false } = {}): string {
  const isEscaped = !raw && isFormula(text)
  return isEscaped || NEEDS_QUOTES.test(text) ? `"${isEscaped ? "'" : ''}${doubleQuotes(text)}"` : text
}

export const isFormula = (text: string): boolean => FORMULA.test(text)

/** Escapes quotation marks for a cell within quotation marks. */
export const doubleQuotes = (text: string): string => text.replaceAll('"', '""')
