/** A line of a CSV file (RFC 4180). */
export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

/** Text that a spreadsheet would run as a formula gets a leading apostrophe. */
function csvCell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) && !isNumber(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

/** Negative numbers and phone numbers are not formulas. */
const isNumber = (text: string): boolean => /^[+-]?\d[\d., ]*$/.test(text)
