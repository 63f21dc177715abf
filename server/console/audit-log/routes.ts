import { Elysia } from 'elysia'
import type { Console } from '../console'
import { exportAudit } from './export'
import { AuditQuery, ExportQuery } from './schemas'
import { showAudit } from './show'

const AUDIT_LOG = '/console/api/workspaces/:workspace_id/audit-log'

export const auditLogRoutes = ({ door, platform }: Console) =>
  new Elysia({ name: 'console-audit-log' })
    .get(
      AUDIT_LOG,
      ...door.admin({ query: AuditQuery }, ({ member, query }) => showAudit(platform, member.workspaceId, query)),
    )
    .get(
      `${AUDIT_LOG}/export`,
      ...door.admin({ query: ExportQuery }, ({ member, query }) => exportAudit(platform, member.workspaceId, query)),
    )
