/**
 * API keys as the people see them who look after them: made, renamed, given other scopes, revoked.
 * See docs/reference/access-and-oauth.md (Tokens).
 */

import type { Database, Sql, Transaction } from '../../../db/connect'
import type { Scope } from '../../scopes'
import { audit, type AuditActor } from '../audit-log/audit'
import { revokeTokenIn, insertToken, type NewToken, TOKENS_CHANNEL } from './tokens'
import type { Micros } from '../../timing/clock'

export interface KeyRow {
  readonly id: string
  readonly name: string
  readonly scopes: Scope[]
  /** The end of the key, to recognise it by. */
  readonly hint: string
  /** As PostgreSQL prints them. */
  readonly created_at: string
  readonly last_used_at: string | null
  readonly workspace_member_id: string
  readonly first_name: string
  readonly last_name: string
}

/** The only time the key itself is seen. */
export async function createKey(
  db: Database,
  input: NewToken,
  auditActor: AuditActor,
): Promise<{ id: string; token: string }> {
  return db.sql.begin(async (tx) => {
    const { id, token } = await insertToken(tx, input)
    const { workspaceId, name, scopes, now } = input
    await auditKey(tx, 'created', { workspaceId, id, name }, auditActor, now, { scopes })
    return { id, token }
  })
}

/** Those that are good, the newest first. Tokens of apps are not keys. */
export async function listKeys({ sql }: Database, workspaceId: string): Promise<KeyRow[]> {
  return sql<KeyRow[]>`
    select t.id, t.name, t.scopes, t.hint, t.created_at, t.last_used_at,
      m.id as workspace_member_id, m.first_name, m.last_name
    from relata.tokens t
    join relata.workspace_members m
      on m.workspace_id = t.workspace_id and m.id = t.authorized_by_workspace_member_id
    where t.workspace_id = ${workspaceId} and t.grant_id is null and t.revoked_at is null
    order by t.created_at desc, t.id`
}

export interface KeyChange {
  readonly name?: string
  readonly scopes?: readonly Scope[]
}

/** Takes effect at once in every process. False when the workspace has no such key. */
export async function updateKey(
  db: Database,
  { workspaceId, id }: KeyName,
  change: KeyChange,
  auditActor: AuditActor,
  now: Micros,
): Promise<boolean> {
  return db.sql.begin(async (tx) => {
    const before = await lockKey(tx, workspaceId, id)
    if (before === undefined) return false
    const name = change.name ?? before.name
    const scopes = change.scopes ?? before.scopes
    await tx`
      update relata.tokens set name = ${name}, scopes = ${[...scopes]}
      where workspace_id = ${workspaceId} and id = ${id}
      returning pg_notify(${TOKENS_CHANNEL}, encode(token_hash, 'hex'))`
    const details = { name, scopes, before: { name: before.name, scopes: before.scopes } }
    await auditKey(tx, 'updated', { workspaceId, id, name }, auditActor, now, details)
    return true
  })
}

/** Ends a key everywhere at once, and its webhooks. False when the workspace has no such key, or it was revoked before. */
export async function revokeKey(
  db: Database,
  { workspaceId, id }: KeyName,
  auditActor: AuditActor,
  now: Micros,
): Promise<boolean> {
  return db.sql.begin(async (tx) => {
    const key = await lockKey(tx, workspaceId, id)
    if (key === undefined) return false
    await revokeTokenIn(tx, workspaceId, id, now)
    await auditKey(tx, 'revoked', { workspaceId, id, name: key.name }, auditActor, now)
    return true
  })
}

export interface KeyName {
  readonly workspaceId: string
  readonly id: string
}

async function lockKey(
  sql: Sql | Transaction,
  workspaceId: string,
  id: string,
): Promise<{ name: string; scopes: Scope[] } | undefined> {
  const [key] = await sql<{ name: string; scopes: Scope[] }[]>`
    select name, scopes from relata.tokens
    where workspace_id = ${workspaceId} and id = ${id} and grant_id is null and revoked_at is null
    for update`
  return key
}

const auditKey = (
  tx: Transaction,
  what: 'created' | 'updated' | 'revoked',
  { workspaceId, id, name }: KeyName & { name: string },
  auditActor: AuditActor,
  now: Micros,
  details?: Readonly<Record<string, unknown>>,
) =>
  audit(tx, {
    ...auditActor,
    workspaceId,
    action: `api-key.${what}`,
    subject: { type: 'api-key', id, name },
    details,
    now,
  })
