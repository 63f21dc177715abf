import { sql as expression } from 'kysely'
import { controlQueriesIn, readInBatches } from '#engine/data-model/kysely-in-transaction'
import type { Database } from '#db/connect'
/** Reads the audit log of a workspace, newest entry first. */

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
export const readAudit = (
  db: Database,
  workspaceId: string,
  { action, limit, before }: AuditFilter & { limit: number; before?: AuditPosition },
): Promise<AuditRow[]> =>
  newestFirst(db, workspaceId, action)
    .$if(before !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('l.created_at', 'l.id'), '<', tuple(before?.created_at ?? '', before?.id ?? '')),
      ),
    )
    .limit(limit)
    .execute()

/** Returns all entries, in batches. */
export const streamAudit = (db: Database, workspaceId: string, { action }: AuditFilter): AsyncIterable<AuditRow[]> =>
  readInBatches(db.sql, newestFirst(db, workspaceId, action), 500)

/** The newest first. Members, API keys and apps have their current names. */
const newestFirst = ({ sql }: Database, workspaceId: string, action: string | undefined) =>
  controlQueriesIn(sql)
    .selectFrom('relata.audit_log as l')
    .leftJoin('relata.workspace_members as m', (join) =>
      join
        .on('l.actor_type', '=', 'workspace-member')
        .onRef('m.workspace_id', '=', 'l.workspace_id')
        .on(expression<boolean>`m.id::text = l.actor_id`),
    )
    .leftJoin('relata.tokens as t', (join) =>
      join
        .on('l.actor_type', '=', 'api-token')
        .onRef('t.workspace_id', '=', 'l.workspace_id')
        .on(expression<boolean>`t.id::text = l.actor_id`),
    )
    .leftJoin('relata.apps as a', (join) =>
      join.on('l.actor_type', '=', 'app').on(expression<boolean>`a.id::text = l.actor_id`),
    )
    .select(['l.id', 'l.action', 'l.actor_type', 'l.actor_id'])
    .select(
      expression<string | null>`coalesce(nullif(concat_ws(' ', m.first_name, m.last_name), ''), t.name, a.name)`.as(
        'actor_name',
      ),
    )
    .select(['l.subject_type', 'l.subject_id', 'l.subject_name', 'l.details', 'l.address', 'l.created_at'])
    .where('l.workspace_id', '=', workspaceId)
    .$if(action !== undefined, (query) =>
      query.where(expression<boolean>`(l.action = ${action} or starts_with(l.action, ${`${action}.`}))`),
    )
    .orderBy('l.created_at', 'desc')
    .orderBy('l.id', 'desc')
    .$castTo<AuditRow>()
