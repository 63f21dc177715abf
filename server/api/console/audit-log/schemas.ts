/** The queries of the audit log. */

import { type Static, Type } from 'typebox'

const action = Type.Optional(Type.String({ maxLength: 100, pattern: '^[a-z-]+(\\.[a-z-]+)?$' }))

export const AuditQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
  action,
})
export type AuditQuery = Static<typeof AuditQuery>

export const AuditExportQuery = Type.Object({ action })
