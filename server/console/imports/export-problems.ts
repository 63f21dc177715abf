/** The rows and values that were left out, with their reasons, as a CSV file: docs/import.md. */

import type { Sql } from '../../../db/connect'
import { csvDownload } from '../../http/response/csv-download'
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

export const exportProblems = (sql: Sql, key: ImportKey, fileName: string): Response =>
  csvDownload({
    fileName: `${fileName}.errors.csv`,
    columns: COLUMNS,
    pages: readProblems(sql, key),
    valueOf: (problem, column) => problem[column],
  })

/** In the order of the file, whose batches are told of in another. */
const readProblems = (sql: Sql, { workspaceId, id }: ImportKey): AsyncIterable<Problem[]> =>
  sql<Problem[]>`
    select line, outcome, column_name as column, value, reason from relata.import_problems
    where workspace_id = ${workspaceId} and import_id = ${id} order by line, number`.cursor(AT_ONCE)
