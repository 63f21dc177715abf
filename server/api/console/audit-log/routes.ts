import { Elysia } from 'elysia'
import type { ConsoleContext } from '#api/console/console-context'
import { exportAuditEntries, listAuditEntries } from './entries'
import { AuditExportQuery, AuditPage, AuditQuery } from './schemas'

const AUDIT_LOG = '/console/api/workspaces/:workspace_id/audit-log'

export const auditLogRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-audit-log' })
    .get(
      AUDIT_LOG,
      ...guard.admin({ response: AuditPage, query: AuditQuery }, ({ member, query }) =>
        listAuditEntries(appContext, member.workspaceId, query),
      ),
    )
    .get(
      `${AUDIT_LOG}/export`,
      ...guard.admin({ response: null, query: AuditExportQuery }, ({ member, query }) =>
        exportAuditEntries(appContext, member.workspaceId, query),
      ),
    )
