import { Elysia } from 'elysia'
import type { ConsoleContext } from '#api/console/console-context'
import { AuditExportQuery, AuditPage, AuditQuery } from './schemas'
import { type AuditFilter, type AuditPosition, type AuditRow, readAudit, streamAudit } from '#access/audit-log/audit'
import { isUuid } from '#vocabulary/uuids'
import { invalidQuery } from '#base/errors/http'
import type { AppContext } from '#context'
import { timestampFromPostgres } from '#base/timing/clock'
import { csvDownload } from '#api/http/response/export-stream'

const AUDIT_LOG = '/console/api/workspaces/:workspace_id/audit-log'

export const auditLogRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-audit-log' })
    .get(
      ...guard.admin(AUDIT_LOG, { response: AuditPage, query: AuditQuery }, ({ member, query }) =>
        listAuditEntries(appContext, member.workspaceId, query),
      ),
    )
    .get(
      ...guard.admin(`${AUDIT_LOG}/export`, { response: null, query: AuditExportQuery }, ({ member, query }) =>
        exportAuditEntries(appContext, member.workspaceId, query),
      ),
    )

/** Returns a page of the audit log and the cursor of the next page. */
async function listAuditEntries(
  { db }: AppContext,
  workspaceId: string,
  { limit = 50, cursor, action }: AuditQuery,
): Promise<object> {
  const before = cursor === undefined ? undefined : readCursor(cursor)
  // One entry more than the limit shows whether there is a next page.
  const rows = await readAudit(db, workspaceId, { action, limit: limit + 1, before })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const next_cursor = rows.length > limit && last !== undefined ? cursorAt(last) : null
  return { data: page.map(renderEntry), pagination: { next_cursor } }
}

const cursorAt = ({ created_at, id }: AuditPosition): string =>
  Buffer.from(`${timestampFromPostgres(created_at)} ${id}`).toString('base64url')

function readCursor(cursor: string): AuditPosition {
  const [created_at = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/.test(created_at) &&
    !Number.isNaN(Date.parse(created_at)) &&
    isUuid(id)
  ) {
    return { created_at, id }
  }
  throw invalidQuery([{ code: 'invalid', path: ['cursor'], message: 'This is not a cursor of the audit log' }])
}

const renderEntry = (row: AuditRow) => ({
  id: row.id,
  action: row.action,
  actor: row.actor_type === null ? null : { type: row.actor_type, id: row.actor_id, name: row.actor_name },
  subject: { type: row.subject_type, id: row.subject_id, name: row.subject_name },
  details: JSON.parse(row.details) as unknown,
  address: row.address,
  created_at: timestampFromPostgres(row.created_at),
})

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

/** Streams the audit log as CSV. */
const exportAuditEntries = ({ db }: AppContext, workspaceId: string, filter: AuditFilter): Response =>
  csvDownload({
    fileName: 'audit-log.csv',
    columns: COLUMNS,
    pages: streamAudit(db, workspaceId, filter),
    valueOf: (row, column) => (column === 'created_at' ? timestampFromPostgres(row.created_at) : row[column]),
  })
