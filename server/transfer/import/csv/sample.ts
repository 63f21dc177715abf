/** Reads the header of a file and a sample of the values of each column, from the first rows. */

import { type CsvFile, emptyFile, readCsv } from './csv'
import { ImportError } from '#transfer/import/import-context'
import type { SampledColumn } from '#transfer/import/mapping/propose-mapping'
import { MAX_COLUMNS } from './split-rows'

const MAX_SAMPLED_ROWS = 2000
/** Limits the rows of a file with many columns, since each cell is tried as every type. */
const MAX_SAMPLED_CELLS = 100_000
/** The beginning of a longer cell suffices to tell its type. */
const MAX_SAMPLED_CHARACTERS = 1000

const MAX_NAME_CHARACTERS = 1000

/** Throws `ImportError` for a file without a header, with too many columns, or with two of one name. */
export async function sampleColumns(file: CsvFile): Promise<{ header: string[]; columns: SampledColumn[] }> {
  let header: string[] | undefined
  let samples: string[][] = []
  let rowsLeft = MAX_SAMPLED_ROWS
  for await (const { cells } of readCsv(file)) {
    if (!header) {
      header = parseHeader(cells)
      samples = header.map(() => [])
      rowsLeft = Math.min(MAX_SAMPLED_ROWS, Math.ceil(MAX_SAMPLED_CELLS / header.length))
      continue
    }
    if (cells.length === header.length) {
      for (const [index, sample] of samples.entries())
        sample.push((cells[index] ?? '').slice(0, MAX_SAMPLED_CHARACTERS))
    }
    if (--rowsLeft === 0) break
  }
  if (!header) throw emptyFile()
  return { header, columns: header.map((name, index) => ({ name, sample: samples[index] ?? [] })) }
}

function parseHeader(cells: readonly string[]): string[] {
  if (cells.length > MAX_COLUMNS) {
    throw new ImportError(
      `The file has more than ${MAX_COLUMNS} columns; leave out those that are not needed, or check which character separates its columns.`,
    )
  }
  const header = cells.map((cell) => cell.trim())
  if (header.some((name) => name.length > MAX_NAME_CHARACTERS)) {
    throw new ImportError(`The name of a column has more than ${MAX_NAME_CHARACTERS} characters; shorten it.`)
  }
  refuseDuplicates(header)
  return header
}

function refuseDuplicates(header: readonly string[]): void {
  const names = new Set<string>()
  const duplicate = header.find((name) => name !== '' && names.size === names.add(name).size)
  if (duplicate !== undefined) throw new ImportError(`Two columns are called "${duplicate}"; rename one of them.`)
}
