import Papa from 'papaparse'

/** One row of a CSV file that people open in spreadsheets: a text that one would take for a formula is escaped. */
export const csvLine = (cells: readonly unknown[]): string => `${Papa.unparse([cells], { escapeFormulae: true })}\r\n`
