/** Writes the rows and values that were not imported to a CSV file. Creates no file when everything was imported. */

import { PROBLEM_COLUMNS, problemCells, type RowProblem } from '#transfer/import/row-outcomes'
import { csvLine } from '#base/text/csv-line'

export interface ProblemsFile {
  add(problem: RowProblem): void | Promise<void>
  /** Closes the file and returns the number of problems. */
  close(): Promise<number>
}

export function createProblemsFile(path: string): ProblemsFile {
  let writer: ReturnType<ReturnType<typeof Bun.file>['writer']> | undefined
  let count = 0
  return {
    async add(problem) {
      writer ??= await openWriter(path)
      count++
      writer.write(csvLine(problemCells(problem)))
    },
    async close() {
      await writer?.end()
      return count
    },
  }
}

/** Empties an existing file first, since the writer does not truncate it. */
async function openWriter(path: string) {
  await Bun.write(path, '')
  const writer = Bun.file(path).writer()
  writer.write(csvLine(PROBLEM_COLUMNS))
  return writer
}
