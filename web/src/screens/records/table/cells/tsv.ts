/** Cells as tab-separated text and as an HTML table, as spreadsheets copy them. */

export type TextCells = readonly (readonly string[])[]

export const tsvOf = (rows: TextCells): string => rows.map((cells) => cells.map(tsvCell).join('\t')).join('\n')

const tsvCell = (text: string): string => (/["\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

export function htmlOf(rows: TextCells): string {
  const body = rows.map((cells) => `<tr>${cells.map((text) => `<td>${escaped(text)}</td>`).join('')}</tr>`)
  return `<table>${body.join('')}</table>`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)

/** Rows of equal length. Spreadsheets end the last row with a line break. */
export const readTsv = (text: string): TextCells => readSeparated(text, '\t')

/** The same for cells with another separator: a character without a meaning in a set of a regular expression. */
export function readSeparated(text: string, separator: string): TextCells {
  // A cell in quotes, with doubled quotes within it, or a cell without; then the separator, a line break or the end.
  // oxlint-disable-next-line relata/no-super-linear-regexp -- a cell ends at the first character that it may not have
  const pattern = new RegExp(`(?:"((?:[^"]|"")*)"|([^${separator}\\r\\n]*))(${separator}|\\r\\n|\\n|\\r|$)`, 'y')
  const rows: string[][] = [[]]
  pattern.lastIndex = 0
  while (pattern.lastIndex < text.length) {
    const at = pattern.lastIndex
    const [whole, quoted, plain = '', end] = pattern.exec(text) ?? plainCell(text.slice(at), separator)
    pattern.lastIndex = at + Math.max(1, whole?.length ?? 1)
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === separator && pattern.lastIndex === text.length) rows.at(-1)?.push('')
    else if (end !== separator && pattern.lastIndex < text.length) rows.push([])
  }
  if (text === '') rows.at(-1)?.push('')
  const width = Math.max(...rows.map(({ length }) => length))
  return rows.map((cells) => [...cells, ...Array.from({ length: width - cells.length }, () => '')])
}

/** A cell that begins with a quote and does not end with one has the quote in its text. */
function plainCell(rest: string, separator: string): readonly (string | undefined)[] {
  const [whole = '', plain, end] =
    // oxlint-disable-next-line relata/no-super-linear-regexp -- anchored, and one set of characters
    new RegExp(`^([^${separator}\\r\\n]*)(${separator}|\\r\\n|\\n|\\r|$)`).exec(rest) ?? []
  return [whole, undefined, plain, end]
}
