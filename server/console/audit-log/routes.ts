import { Elysia } from 'elysia'
import type { Console } from '../console'
import { exportAudit } from './export'
import { AuditQuery, ExportQuery } from './schemas'
import { showAudit } from './show'

const AUDIT_LOG = '/console/api/workspaces/:workspace_id/audit-log'

export const auditLogRoutes = ({ guard, appContext }: Console) =>
  new Elysia({ name: 'console-audit-log' })
    .get(
      AUDIT_LOG,
      ...guard.admin({ query: AuditQuery }, ({ member, query }) => showAudit(appContext, member.workspaceId, query)),
    )
    .get(
      `${AUDIT_LOG}/export`,
      ...guard.admin({ query: ExportQuery }, ({ member, query }) => exportAudit(appContext, member.workspaceId, query)),
    )
