/** A line of a CSV file, as RFC 4180 has it. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

/** What a spreadsheet would take for a formula is kept from being one. */
function csvCell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) && !isNumber(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

/** Amounts below zero, and telephone numbers. */
const isNumber = (text: string): boolean => /^[+-]?\d[\d., ]*$/.test(text)
