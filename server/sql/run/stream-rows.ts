/** Runs a statement for a response that is sent while its rows are read. */

import { afterJson, resultColumns, type ResultColumns, type TextRow } from '../results/columns'
import { type PageReader, readPages, type RowPage } from './read-pages'
import { sqlErrorFrom } from './run-errors'
import { endRun, withConnection } from './run-statement'
import type { SqlCaller, SqlConnection, SqlRunner } from './sql-runner'
import { columnsAsJson, explain, type RoleStatement } from './statement'

/** How rows become text. */
export interface RowFormat {
  /** Before the first row. */
  readonly head: (columns: ResultColumns) => string
  readonly line: (columns: ResultColumns, row: TextRow) => string
}

/** The pieces of a response. Every piece contains at most one page of rows. */
export type PieceReader = Pick<AsyncGenerator<string, void, void>, 'next' | 'return'>

/** The length of a whole response. */
const MAX_CHARACTERS = 2_000_000_000

/** Reads the first page before it returns, so that the usual errors are thrown before a response begins. */
export const streamRows = (
  caller: SqlCaller,
  runner: SqlRunner,
  statement: RoleStatement,
  format: RowFormat,
): Promise<PieceReader> =>
  withConnection(caller, runner, statement, async (connection) => {
    const { run, types } = connection
    let pages = readPages(connection, statement, run.stop.signal)
    let first = await pages.next()
    let columns = resultColumns(types, first.columns)
    if (columns.hasAnonymous) {
      await pages.close()
      pages = readPages(connection, columnsAsJson(statement, first.columns), run.stop.signal)
      columns = resultColumns(types, afterJson(first.columns), first.columns)
      first = await pages.next()
    }
    const toError = (error: unknown) =>
      sqlErrorFrom(error, { statement, reason: run.reason(), timeoutMs: runner.timeoutMs })
    return createPieces(connection, pages, { first, columns, format, toError })
  })

/** Returns the plan as text. */
export const streamPlan = (
  caller: SqlCaller,
  runner: SqlRunner,
  statement: RoleStatement,
  options: 'format text' | 'analyze, format text',
): Promise<PieceReader> => streamRows(caller, runner, explain(statement, options), PLAN_TEXT)

const PLAN_TEXT: RowFormat = { head: () => '', line: (_, [text]) => `${text ?? ''}\n` }

interface PieceOptions {
  readonly first: RowPage
  readonly columns: ResultColumns
  readonly format: RowFormat
  readonly toError: (error: unknown) => unknown
}

/** The connection returns to its pool after the last page, and when the run is stopped, even if the client reads no more. */
function createPieces(connection: SqlConnection, pages: PageReader, options: PieceOptions): PieceReader {
  const { first, columns, format, toError } = options
  const { run } = connection
  let page: RowPage | undefined = first
  let isLast = false
  let characters = 0
  let finishing: Promise<void> | undefined
  const finish = () => (finishing ??= pages.close().finally(() => endRun(connection)))
  run.stop.signal.addEventListener('abort', () => void finish())

  const render = ({ rows }: RowPage): string => {
    const head = page === first ? format.head(columns) : ''
    const text = head + rows.map((row) => format.line(columns, row)).join('')
    characters += text.length
    if (characters > MAX_CHARACTERS) run.stop.abort()
    return text
  }

  async function nextPiece(): Promise<IteratorResult<string, void>> {
    if (isLast) return { done: true, value: undefined }
    page ??= await pages.next()
    if (run.reason() !== undefined) throw new Error('The statement was stopped.')
    const piece = render(page)
    isLast = page.isLast
    page = undefined
    if (isLast) await finish()
    return { done: false, value: piece }
  }

  return {
    async next() {
      try {
        return await nextPiece()
      } catch (error) {
        await finish()
        throw toError(error)
      }
    },
    async return() {
      isLast = true
      await finish()
      return { done: true, value: undefined }
    },
  }
}
