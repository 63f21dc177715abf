import { createReadStream } from 'node:fs'
import { decodeBeginning, findDelimiter, type CsvFile } from '../../import/csv/csv'
import { CommandProblem } from '../command'

const BEGINNING = 64 * 1024
/**
 * Large enough that what its rows refer to is looked up together, and small enough that they are converted before an
 * answer of the database has waited long.
 */
const PIECE = 64 * 1024

/** A CSV file on disk. Throws `CommandProblem` when there is none, `ImportError` when it is not UTF-8. */
export async function openCsvFile(path: string): Promise<CsvFile> {
  const file = Bun.file(path)
  if (!(await file.exists())) throw new CommandProblem(`There is no file ${path}.`)
  const beginning = decodeBeginning(await file.slice(0, BEGINNING).bytes())
  return { delimiter: findDelimiter(beginning), open: () => createReadStream(path, { highWaterMark: PIECE }) }
}

export async function readText(path: string): Promise<string> {
  const file = Bun.file(path)
  if (!(await file.exists())) throw new CommandProblem(`There is no file ${path}.`)
  return file.text()
}
