import { createReadStream } from 'node:fs'
import { decodeBeginning, findDelimiter, type CsvFile } from '#transfer/import/csv/csv'
import { CommandError } from '#run/cli/command'

const BEGINNING_BYTES = 64 * 1024
/**
 * Large enough that the references of many rows are looked up together, and small enough that the rows are converted
 * before a database answer has waited long.
 */
const PIECE_BYTES = 64 * 1024

/** Throws `CommandError` when the file does not exist, and `ImportError` when it is not UTF-8. */
export async function openCsvFile(path: string): Promise<CsvFile> {
  const file = Bun.file(path)
  if (!(await file.exists())) throw new CommandError(`There is no file ${path}.`)
  const beginning = decodeBeginning(await file.slice(0, BEGINNING_BYTES).bytes())
  return { delimiter: findDelimiter(beginning), open: () => createReadStream(path, { highWaterMark: PIECE_BYTES }) }
}

export async function readText(path: string): Promise<string> {
  const file = Bun.file(path)
  if (!(await file.exists())) throw new CommandError(`There is no file ${path}.`)
  return file.text()
}
