import Papa from 'papaparse'

/** The beginning of a text that a spreadsheet takes for a formula. */
const FORMULA = /^[=+\-@\t\r]/

/** One row of a CSV file that people open in spreadsheets: a text that one would take for a formula is escaped. */
export const csvLine = (cells: readonly unknown[]): string => csvLines([cells])

/** Rows of such a file, at least one. `raw` leaves formulas unescaped, for programs that read the file. */
export const csvLines = (rows: readonly (readonly unknown[])[], { raw = false } = {}): string =>
  `${Papa.unparse([...rows], { escapeFormulae: raw ? false : FORMULA })}\r\n`
