/** Answers with a table of any length as a CSV file, which is read and sent page by page. */

import { csvLine } from '#base/text/csv-line'
import { contentDisposition } from './content-disposition'

export interface CsvTable<Row, Column extends string> {
  readonly fileName: string
  readonly columns: readonly Column[]
  readonly pages: AsyncIterable<readonly Row[]>
  valueOf(row: Row, column: Column): unknown
}

export function csvDownload<Row, Column extends string>(table: CsvTable<Row, Column>): Response {
  return new Response(linesOf(table), {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': contentDisposition('attachment', table.fileName),
    },
  })
}

/** Returns the lines of the file. Stops reading when the client closes the connection. */
function linesOf<Row, Column extends string>(table: CsvTable<Row, Column>): ReadableStream<Uint8Array> {
  const { columns, pages, valueOf } = table
  const encoder = new TextEncoder()
  const iterator = pages[Symbol.asyncIterator]()
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(csvLine(columns))),
    async pull(controller) {
      const { value, done } = await iterator.next()
      if (done === true) return controller.close()
      const lines = value.map((row) => csvLine(columns.map((column) => valueOf(row, column))))
      controller.enqueue(encoder.encode(lines.join('')))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
