/** The audit log of the workspace. */

import type { AuditEntry, AuditPage } from '#api/console/audit-log/schemas'
import { credentials, workspaceApi } from '../client'

export type { AuditEntry, AuditPage }

export const readAuditLog = (
  query: { action?: string | undefined; cursor?: string | undefined },
  signal?: AbortSignal,
): Promise<AuditPage> => workspaceApi.get<AuditPage>('/audit-log', { query: { limit: 50, ...query }, signal })

/** The URL of the log as a CSV file. The browser sends the session cookie with the download. */
export function auditExportUrl(action: string | undefined): string {
  const search = action === undefined ? '' : `?${new URLSearchParams({ action })}`
  return `/console/api/workspaces/${credentials.workspaceId()}/audit-log/export${search}`
}
