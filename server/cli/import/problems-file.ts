/** The rows and values that were not imported, as a CSV file; there is none when all were. */

import type { ImportListener } from '../../import/run-import'

type Problem = Parameters<ImportListener['onProblem']>[0]

export interface ProblemsFile {
  add(problem: Problem): void | Promise<void>
  /** Gives how many there are. */
  close(): Promise<number>
}

const HEADER = ['line', 'outcome', 'column', 'value', 'reason']

export function createProblemsFile(path: string): ProblemsFile {
  let writer: ReturnType<ReturnType<typeof Bun.file>['writer']> | undefined
  let count = 0
  return {
    async add({ line, outcome, column, value, reason }) {
      writer ??= await begin(path)
      count++
      writer.write(renderRow([String(line), outcome, column, value, reason]))
    },
    async close() {
      await writer?.end()
      return count
    },
  }
}

/** A shorter file must not keep the end of an older, longer one. */
async function begin(path: string) {
  await Bun.write(path, '')
  const writer = Bun.file(path).writer()
  writer.write(renderRow(HEADER))
  return writer
}

const renderRow = (cells: readonly string[]): string => `${cells.map(renderCell).join(',')}\n`

const renderCell = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
