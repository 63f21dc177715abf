/**
 * The audit log: who changed access, and how. Each entry is appended in the transaction of its change and is never altered.
 * See docs/reference/access-and-oauth.md (Secrets and the audit log).
 */

import { sql } from 'kysely'
import type { Database, Sql, Transaction } from '#db/connect'
import { controlQueriesIn, jsonb, readInBatches } from '#engine/data-model/kysely-in-transaction'
import { newId } from '#base/ids'
import { type Micros, timestampFromMicros } from '#base/timing/clock'

/** Who makes a change, and from which network address. */
export interface AuditActor {
  /** Null when the actor is unknown. */
  readonly actor: { readonly type: string; readonly id: string | null } | null
  readonly address?: string | null
}

interface AuditEntry extends AuditActor {
  /** Null for a change that belongs to no workspace. */
  readonly workspaceId: string | null
  /** The kind of the subject and the change, e.g. `api-key.created`. */
  readonly action: `${string}.${string}`
  readonly subject: { readonly type: string; readonly id: string | null; readonly name?: string | null }
  /** Further facts, never a secret. */
  readonly details?: Readonly<Record<string, unknown>>
  readonly now: Micros
}

/** The actor of commands that an operator runs on the server. */
export const COMMAND_LINE: AuditActor = { actor: { type: 'system', id: 'command-line' } }

export async function audit(connection: Sql | Transaction, entry: AuditEntry): Promise<void> {
  const { workspaceId, actor, action, subject, details, address, now } = entry
  await controlQueriesIn(connection)
    .insertInto('relata.audit_log')
    .values({
      id: newId(),
      workspace_id: workspaceId,
      action,
      actor_type: actor?.type ?? null,
      actor_id: actor?.id ?? null,
      subject_type: subject.type,
      subject_id: subject.id,
      subject_name: subject.name ?? null,
      details: jsonb(details ?? {}),
      address: address ?? null,
      created_at: timestampFromMicros(now),
    })
    .execute()
}

interface AccountEntry {
  readonly emailAddress: string
  readonly action:
    | 'sign-in.succeeded'
    | 'sign-in.failed'
    | 'password.changed'
    | 'password.reset'
    | 'second-factor.added'
    | 'second-factor.removed'
    | 'recovery-codes.created'
    | 'recovery-code.used'
  /** The only workspace whose log gets the entry. Without it, the log of each workspace of the account does. */
  readonly workspaceId?: string
  /** Whether the owner of the account is the actor, as far as is known. */
  readonly isOwner: boolean
  readonly address: string | null
  readonly details?: Readonly<Record<string, unknown>>
  readonly now: Micros
}

/**
 * Appends one entry to the log of each workspace of the account, or one entry without a workspace when the account is no
 * member. An address without an account causes no entry and takes the same time.
 */
export async function auditAccount(connection: Sql | Transaction, entry: AccountEntry): Promise<void> {
  const { emailAddress, action, isOwner, address, details, now, workspaceId } = entry
  const email = emailAddress.toLowerCase()
  await sql`
    insert into relata.audit_log
      (id, workspace_id, account_id, action, actor_type, actor_id, subject_type, subject_id, subject_name, details,
       address, created_at)
    select gen_random_uuid(), m.workspace_id, a.id, ${action},
      case when ${isOwner} then 'workspace-member' end, case when ${isOwner} then m.id::text end,
      'account', a.id::text, a.email_address, ${jsonb(details ?? {})}, ${address}::text,
      ${timestampFromMicros(now)}::timestamptz
    from relata.accounts a left join relata.workspace_members m on m.account_id = a.id
    where a.email_address = ${email} and (${workspaceId ?? null}::uuid is null or m.workspace_id = ${workspaceId ?? null})
    `.execute(controlQueriesIn(connection))
}

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
const newestFirst = (db: Pick<Database, 'sql'>, workspaceId: string, action: string | undefined) =>
  controlQueriesIn(db.sql)
    .selectFrom('relata.audit_log as l')
    .leftJoin('relata.workspace_members as m', (join) =>
      join
        .on('l.actor_type', '=', 'workspace-member')
        .onRef('m.workspace_id', '=', 'l.workspace_id')
        .on(sql<boolean>`m.id::text = l.actor_id`),
    )
    .leftJoin('relata.tokens as t', (join) =>
      join
        .on('l.actor_type', '=', 'api-token')
        .onRef('t.workspace_id', '=', 'l.workspace_id')
        .on(sql<boolean>`t.id::text = l.actor_id`),
    )
    .leftJoin('relata.apps as a', (join) =>
      join.on('l.actor_type', '=', 'app').on(sql<boolean>`a.id::text = l.actor_id`),
    )
    .select(['l.id', 'l.action', 'l.actor_type', 'l.actor_id'])
    .select(
      sql<string | null>`coalesce(nullif(concat_ws(' ', m.first_name, m.last_name), ''), t.name, a.name)`.as(
        'actor_name',
      ),
    )
    .select(['l.subject_type', 'l.subject_id', 'l.subject_name', 'l.details', 'l.address', 'l.created_at'])
    .where('l.workspace_id', '=', workspaceId)
    .$if(action !== undefined, (query) =>
      query.where(sql<boolean>`(l.action = ${action} or starts_with(l.action, ${`${action}.`}))`),
    )
    .orderBy('l.created_at', 'desc')
    .orderBy('l.id', 'desc')
    .$castTo<AuditRow>()
