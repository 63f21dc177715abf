/** Exports the problems of an import as a CSV file: docs/import.md. */

import type { Sql } from '#db/connect'
import { csvDownload } from '#api/http/response/csv-download'
import { PROBLEM_COLUMNS, type RowProblem } from '#transfer/import/problems/row-problem'
import type { ImportKey } from './store'

const PAGE_ROWS = 500

export const exportProblems = (sql: Sql, key: ImportKey, fileName: string): Response =>
  csvDownload({
    fileName: `${fileName}.errors.csv`,
    columns: PROBLEM_COLUMNS,
    pages: readProblems(sql, key),
    valueOf: (problem, column) => problem[column],
  })

/** Sorted by line, since an import does not report problems in the order of the file. */
const readProblems = (sql: Sql, { workspaceId, id }: ImportKey): AsyncIterable<RowProblem[]> =>
  sql<RowProblem[]>`
    select line, outcome, column_name as column, value, reason from relata.import_problems
    where workspace_id = ${workspaceId} and import_id = ${id} order by line, number`.cursor(PAGE_ROWS)
