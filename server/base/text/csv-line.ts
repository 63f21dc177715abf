/** Lines of CSV files (RFC 4180) that people open in spreadsheets. */

/**
 * The beginning of a text that a spreadsheet takes for a formula. Apostrophes may stand before it, so that `withoutEscape` restores
 * each text.
 */
const FORMULA = /^'*[=+\-@\t\r]/
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

/** The text of a cell that may be escaped. */
export const withoutEscape = (cell: string): string => (cell.startsWith("'") && isFormula(cell) ? cell.slice(1) : cell)

/** Escapes quotation marks for a cell within quotation marks. */
export const doubleQuotes = (text: string): string => text.replaceAll('"', '""')

/** The text on one line, without control characters and with at most `maxLength` characters; null when nothing is left. */
export function cleanLine(text: string | undefined, maxLength: number): string | null {
  const oneLine = (text ?? '').slice(0, 2 * maxLength).replace(/[\s\p{Cc}]+/gu, ' ')
  const clean = oneLine.trim().slice(0, maxLength).toWellFormed()
  return clean === '' ? null : clean
}

const MAX_LENGTH = 200

/** The beginning of a text, so that an error message that quotes it stays short: at most 200 characters and an ellipsis. */
export function excerpt(text: string): string {
  if (text.length <= MAX_LENGTH) return text
  return `${text.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Removes all repetitions of one character from the end of a text. A regular expression would take quadratic time. */
export function trimEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}

/** Renders a size in decimal units, such as "512 kB" or "1.5 MB". Rounds down. */
export function sizeInWords(bytes: number): string {
  const [divisor, unit] = UNITS.find(([least]) => bytes >= least) ?? [1, 'bytes']
  return `${Math.floor((100 * bytes) / divisor) / 100} ${unit}`
}

const UNITS = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'kB'],
] as const
