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

/** A cell in quotes, with doubled quotes within it, or a cell without; then a tab, a line break or the end. */
const CELL = /(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r\n|\n|\r|$)/y

/** Rows of equal length. Spreadsheets end the last row with a line break. */
export function readTsv(text: string): TextCells {
  const rows: string[][] = [[]]
  CELL.lastIndex = 0
  while (CELL.lastIndex < text.length) {
    const at = CELL.lastIndex
    const [whole, quoted, plain = '', end] = CELL.exec(text) ?? plainCell(text, at)
    CELL.lastIndex = at + Math.max(1, whole?.length ?? 1)
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === '\t' && CELL.lastIndex === text.length) rows.at(-1)?.push('')
    else if (end !== '\t' && CELL.lastIndex < text.length) rows.push([])
  }
  if (text === '') rows.at(-1)?.push('')
  const width = Math.max(...rows.map(({ length }) => length))
  return rows.map((cells) => [...cells, ...Array.from({ length: width - cells.length }, () => '')])
}

/** A cell that begins with a quote and does not end with one has the quote in its text. */
function plainCell(text: string, at: number): readonly (string | undefined)[] {
  const plain = /^[^\t\r\n]*/.exec(text.slice(at))?.[0] ?? ''
  const end = /^(?:\t|\r\n|\n|\r)/.exec(text.slice(at + plain.length))?.[0] ?? ''
  return [plain + end, undefined, plain, end]
}
