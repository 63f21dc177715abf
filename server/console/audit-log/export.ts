/** The whole audit log as CSV, streamed. */

import Papa from 'papaparse'
import { type AuditFilter, type AuditRow, streamAudit } from '../../access/read-audit'
import type { Platform } from '../../platform'
import { timestampFromPostgres } from '../../time'

const COLUMNS = [
  'created_at',
  'action',
  'actor_type',
  'actor_id',
  'actor_name',
  'subject_type',
  'subject_id',
  'subject_name',
  'details',
  'address',
  'id',
] as const satisfies readonly (keyof AuditRow)[]

export function exportAudit({ db }: Platform, workspaceId: string, filter: AuditFilter): Response {
  return new Response(lines(streamAudit(db, workspaceId, filter)), {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': 'attachment; filename="audit-log.csv"',
    },
  })
}

function lines(pages: AsyncIterable<readonly AuditRow[]>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
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
const csvOf = (rows: readonly AuditRow[]): string =>
  `${Papa.unparse(
    rows.map((row) =>
      COLUMNS.map((column) => (column === 'created_at' ? timestampFromPostgres(row.created_at) : row[column])),
    ),
    { escapeFormulae: true, newline: '\r\n' },
  )}\r\n`
