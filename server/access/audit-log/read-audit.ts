/** Reads the audit log of a workspace, newest entry first. */

import type { Database, Sql } from '#db/connect'

export interface AuditRow {
  readonly id: string
  readonly action: string
  readonly actor_type: string | null
  readonly actor_id: string | null
  readonly actor_name: string | null
  readonly subject_type: string
  readonly subject_id: string | null
  readonly subject_name: string | null
  /** JSON. */
  readonly details: string
  readonly address: string | null
  /** As PostgreSQL prints it. */
  readonly created_at: string
}

/** The position of an entry in the log. */
export interface AuditPosition {
  readonly created_at: string
  readonly id: string
}

export interface AuditFilter {
  /** An action, or the part before the dot: `api-key` selects `api-key.created` and all other actions of API keys. */
  readonly action?: string
}

/** Returns at most `limit` entries older than `before`. */
export async function readAudit(
  { sql }: Database,
  workspaceId: string,
  { action, limit, before }: AuditFilter & { limit: number; before?: AuditPosition },
): Promise<AuditRow[]> {
  const older = before ? sql`and (l.created_at, l.id) < (${before.created_at}::timestamptz, ${before.id}::uuid)` : sql``
  return sql<AuditRow[]>`${selection(sql, workspaceId, action)} ${older} ${NEWEST_FIRST(sql)} limit ${limit}`
}

/** Returns all entries, in batches. */
export function streamAudit({ sql }: Database, workspaceId: string, { action }: AuditFilter) {
  return sql<AuditRow[]>`${selection(sql, workspaceId, action)} ${NEWEST_FIRST(sql)}`.cursor(500)
}

/** Members, API keys and apps have their current names. */
const selection = (sql: Sql, workspaceId: string, action: string | undefined) => sql`
  select l.id, l.action, l.actor_type, l.actor_id, coalesce(nullif(concat_ws(' ', m.first_name, m.last_name), ''), t.name, a.name) as actor_name,
    l.subject_type, l.subject_id, l.subject_name, l.details, l.address, l.created_at
  from relata.audit_log l
  left join relata.workspace_members m
    on l.actor_type = 'workspace-member' and m.workspace_id = l.workspace_id and m.id::text = l.actor_id
  left join relata.tokens t
    on l.actor_type = 'api-token' and t.workspace_id = l.workspace_id and t.id::text = l.actor_id
  left join relata.apps a on l.actor_type = 'app' and a.id::text = l.actor_id
  where l.workspace_id = ${workspaceId}
    ${action === undefined ? sql`` : sql`and (l.action = ${action} or starts_with(l.action, ${`${action}.`}))`}`

const NEWEST_FIRST = (sql: Sql) => sql`order by l.created_at desc, l.id desc`
