/** Streams the audit log as CSV. */

import { type AuditFilter, type AuditRow, streamAudit } from '#access/audit-log/read-audit'
import { csvDownload } from '#api/http/response/csv-download'
import type { AppContext } from '#context'
import { timestampFromPostgres } from '#base/timing/clock'

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

export const exportAuditEntries = ({ db }: AppContext, workspaceId: string, filter: AuditFilter): Response =>
  csvDownload({
    fileName: 'audit-log.csv',
    columns: COLUMNS,
    pages: streamAudit(db, workspaceId, filter),
    valueOf: (row, column) => (column === 'created_at' ? timestampFromPostgres(row.created_at) : row[column]),
  })
