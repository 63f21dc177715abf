/** The queries of the audit log. */

import { type Static, Type } from 'typebox'
import { nullable, Pagination, Timestamp } from '#api/console/schemas'

const action = Type.Optional(Type.String({ maxLength: 100, pattern: '^[a-z-]+(\\.[a-z-]+)?$' }))

export const AuditQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
  action,
})
export type AuditQuery = Static<typeof AuditQuery>

export const AuditExportQuery = Type.Object({ action })

const AuditEntry = Type.Object({
  id: Type.String(),
  action: Type.String(),
  actor: nullable(Type.Object({ type: Type.String(), id: nullable(Type.String()), name: nullable(Type.String()) })),
  subject: Type.Object({ type: Type.String(), id: nullable(Type.String()), name: nullable(Type.String()) }),
  details: Type.Record(Type.String(), Type.Unknown()),
  address: nullable(Type.String()),
  created_at: Timestamp,
})
export type AuditEntry = Static<typeof AuditEntry>

export const AuditPage = Type.Object({ data: Type.Array(AuditEntry), pagination: Pagination })
export type AuditPage = Static<typeof AuditPage>
