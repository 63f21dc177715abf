/** The rows of a CSV file, for its preview. */

import { readSeparated, type TextCells } from '../records/table/cells/tsv'

const SEPARATORS = [',', ';', '\t'] as const

interface PreviewTable {
  readonly header: readonly string[]
  readonly rows: TextCells
}

/** The separator is the one that the first line has most of. The last row of a cut text is left out. */
export function readTable(text: string, isCut: boolean): PreviewTable {
  const [first = ''] = text.split(/\r?\n|\r/, 1)
  const countOf = (separator: string) => first.split(separator).length
  const separator = SEPARATORS.reduce((best, one) => (countOf(one) > countOf(best) ? one : best))
  const [header = [], ...rows] = readSeparated(text.replace(/^\uFEFF/, ''), separator)
  return { header, rows: isCut ? rows.slice(0, -1) : rows }
}
