/** The header of a file and a sample of each column's values, spread over its beginning. */

import { type CsvFile, readCsv } from './csv'
import { ImportError } from '../import-error'
import type { Column } from '../mapping/propose-mapping'
import { MOST_COLUMNS } from './split-rows'

const SAMPLED_ROWS = 2000
/** Of a file with many columns, fewer rows are looked at: each cell is tried as every type. */
const SAMPLED_CELLS = 100_000
/** Of a cell: a longer one is a text, or begins like what it is. */
const SAMPLED_CHARACTERS = 1000

/** Of the name of a column. */
const LONGEST_NAME = 1000

/** Throws `ImportError` for a file without a header, with too many columns, or with two of one name. */
export async function sampleColumns(file: CsvFile): Promise<{ header: string[]; columns: Column[] }> {
  let header: string[] | undefined
  let samples: string[][] = []
  let rowsLeft = SAMPLED_ROWS
  for await (const { cells } of readCsv(file)) {
    if (!header) {
      header = readHeader(cells)
      samples = header.map(() => [])
      rowsLeft = Math.min(SAMPLED_ROWS, Math.ceil(SAMPLED_CELLS / header.length))
      continue
    }
    if (cells.length === header.length) {
      for (const [index, sample] of samples.entries()) sample.push((cells[index] ?? '').slice(0, SAMPLED_CHARACTERS))
    }
    if (--rowsLeft === 0) break
  }
  if (!header) throw new ImportError('The file is empty; its first row has to name the columns.')
  return { header, columns: header.map((name, index) => ({ name, sample: samples[index] ?? [] })) }
}

function readHeader(cells: readonly string[]): string[] {
  if (cells.length > MOST_COLUMNS) {
    throw new ImportError(
      `The file has more than ${MOST_COLUMNS} columns; leave out those that are not needed, or check what stands between its columns.`,
    )
  }
  const header = cells.map((cell) => cell.trim())
  if (header.some((name) => name.length > LONGEST_NAME)) {
    throw new ImportError(`The name of a column has more than ${LONGEST_NAME} characters; shorten it.`)
  }
  refuseTwins(header)
  return header
}

function refuseTwins(header: readonly string[]): void {
  const names = new Set<string>()
  const twin = header.find((name) => name !== '' && names.size === names.add(name).size)
  if (twin !== undefined) throw new ImportError(`Two columns are called "${twin}"; rename one of them.`)
}
