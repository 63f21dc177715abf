/** The rows and values that were left out, with their reasons, as a CSV file: docs/import.md. */

import Papa from 'papaparse'
import type { Sql } from '../../../db/connect'
import type { ImportKey } from './store'

interface Problem {
  line: number
  outcome: string
  column: string
  value: string
  reason: string
}

const COLUMNS = ['line', 'outcome', 'column', 'value', 'reason'] as const satisfies readonly (keyof Problem)[]
const AT_ONCE = 500

export function exportProblems(sql: Sql, key: ImportKey, fileName: string): Response {
  const name = `${fileName}.errors.csv`
  return new Response(lines(sql, key), {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="errors.csv"; filename*=UTF-8''${encodeURIComponent(name)}`,
    },
  })
}

/** In the order of the file, whose batches are told of in another. */
function lines(sql: Sql, { workspaceId, id }: ImportKey): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const pages = sql<Problem[]>`
    select line, outcome, column_name as column, value, reason from relata.import_problems
    where workspace_id = ${workspaceId} and import_id = ${id} order by line, number`.cursor(AT_ONCE)
  const iterator = pages[Symbol.asyncIterator]()
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(`${COLUMNS.join(',')}\r\n`)),
    async pull(controller) {
      const { value, done } = await iterator.next()
      if (done === true) controller.close()
      else controller.enqueue(encoder.encode(csvOf(value)))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

/** What a spreadsheet would take for a formula is given to it as text. */
const csvOf = (rows: readonly Problem[]): string =>
  `${Papa.unparse(
    rows.map((row) => COLUMNS.map((column) => row[column])),
    { escapeFormulae: true, newline: '\r\n' },
  )}\r\n`
