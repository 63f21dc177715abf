/** The audit log of the workspace. */

import { credentials, workspaceApi } from '../client'

export interface AuditEntry {
  readonly id: string
  readonly action: string
  readonly actor: { readonly type: string; readonly id: string | null; readonly name: string | null } | null
  readonly subject: { readonly type: string; readonly id: string | null; readonly name: string | null }
  readonly details: Readonly<Record<string, unknown>>
  readonly address: string | null
  readonly created_at: string
}

export interface AuditPage {
  readonly data: readonly AuditEntry[]
  readonly pagination: { readonly next_cursor: string | null }
}

export const readAuditLog = (
  query: { action?: string | undefined; cursor?: string | undefined },
  signal?: AbortSignal,
): Promise<AuditPage> => workspaceApi.get<AuditPage>('/audit-log', { query: { limit: 50, ...query }, signal })

/** The URL of the log as a CSV file. The browser sends the session cookie with the download. */
export function auditExportUrl(action: string | undefined): string {
  const search = action === undefined ? '' : `?${new URLSearchParams({ action })}`
  return `/console/api/workspaces/${credentials.workspaceId}/audit-log/export${search}`
}
