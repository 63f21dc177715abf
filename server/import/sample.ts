/** The header of a file and a sample of each column's values, spread over its beginning. */

import { type CsvFile, readCsv } from './csv'
import { ImportProblem } from './problem'
import type { Column } from './propose-mapping'

const SAMPLED_ROWS = 2000

/** Throws `ImportProblem` for a file without a header, or with two columns of one name. */
export async function sampleColumns(file: CsvFile): Promise<{ header: string[]; columns: Column[] }> {
  let header: string[] | undefined
  let samples: string[][] = []
  let rows = 0
  for await (const { cells } of readCsv(file)) {
    if (!header) {
      header = cells.map((cell) => cell.trim())
      samples = header.map(() => [])
      continue
    }
    if (cells.length === header.length) for (const [index, sample] of samples.entries()) sample.push(cells[index] ?? '')
    if (++rows >= SAMPLED_ROWS) break
  }
  if (!header) throw new ImportProblem('The file is empty; its first row has to name the columns.')
  refuseTwins(header)
  return { header, columns: header.map((name, index) => ({ name, sample: samples[index] ?? [] })) }
}

function refuseTwins(header: readonly string[]): void {
  const twin = header.find((name, index) => name !== '' && header.indexOf(name) !== index)
  if (twin !== undefined) throw new ImportProblem(`Two columns are called "${twin}"; rename one of them.`)
}
