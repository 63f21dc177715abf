/**
 * API keys as admins manage them: list, create, update and revoke. Each change is an entry of the audit log.
 * See docs/reference/access-and-oauth.md (Tokens).
 */

import type { Database, Transaction } from '#db/connect'
import { controlQueriesIn, equal, onEqual } from '#engine/data-model/kysely-in-transaction'
import type { Scope } from '#vocabulary/scopes'
import { audit, type AuditActor } from '#access/audit-log/audit'
import { notifyOfChangedClient } from '#events/webhooks/queue/notify-of-changes'
import { insertToken, type NewToken, notifyTokenChange, revokeTokenIn } from './tokens'
import type { Micros } from '#base/timing/clock'

export interface KeyRow {
  readonly id: string
  readonly name: string
  readonly scopes: Scope[]
  /** The end of the key, by which people recognise it. */
  readonly hint: string
  /** As PostgreSQL prints it. */
  readonly created_at: string
  readonly last_used_at: string | null
  readonly workspace_member_id: string
  readonly first_name: string
  readonly last_name: string
}

/** Returns the key itself, which cannot be read again. */
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

/** Returns the valid keys, newest first. Tokens of apps are not API keys. */
export const listKeys = ({ control }: Database, workspaceId: string): Promise<KeyRow[]> =>
  control
    .selectFrom('relata.tokens as t')
    .innerJoin(
      'relata.workspace_members as m',
      onEqual({ 'm.workspace_id': 't.workspace_id', 'm.id': 't.authorized_by_workspace_member_id' }),
    )
    .select(['t.id', 't.name', 't.scopes', 't.hint', 't.created_at', 't.last_used_at'])
    .select(['m.id as workspace_member_id', 'm.first_name', 'm.last_name'])
    .where('t.workspace_id', '=', workspaceId)
    .where('t.grant_id', 'is', null)
    .where('t.revoked_at', 'is', null)
    .orderBy('t.created_at', 'desc')
    .orderBy('t.id')
    .$castTo<KeyRow>()
    .execute()

export interface ApiKeyChange {
  readonly name?: string
  readonly scopes?: readonly Scope[]
}

/** Takes effect immediately in all processes. Returns false when the workspace has no such key. */
export async function updateKey(
  db: Database,
  { workspaceId, id }: KeyName,
  change: ApiKeyChange,
  auditActor: AuditActor,
  now: Micros,
): Promise<boolean> {
  return db.sql.begin(async (tx) => {
    const before = await lockKey(tx, workspaceId, id)
    if (before === undefined) return false
    const name = change.name ?? before.name
    const scopes = change.scopes ?? before.scopes
    await controlQueriesIn(tx)
      .updateTable('relata.tokens')
      .set({ name, scopes: [...scopes] })
      .where(equal({ workspace_id: workspaceId, id }))
      .returning(notifyTokenChange.as('notified'))
      .execute()
    await notifyOfChangedClient(tx, workspaceId, before.client_id)
    const details = { name, scopes, before: { name: before.name, scopes: before.scopes } }
    await auditKey(tx, 'updated', { workspaceId, id, name }, auditActor, now, details)
    return true
  })
}

/** Revokes a key in all processes and deletes its webhooks. Returns false when the workspace has no such valid key. */
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

interface LockedKey {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly client_id: string
}

const lockKey = (tx: Transaction, workspaceId: string, id: string): Promise<LockedKey | undefined> =>
  controlQueriesIn(tx)
    .selectFrom('relata.tokens')
    .select(['name', 'scopes', 'client_id'])
    .where(equal({ workspace_id: workspaceId, id }))
    .where('grant_id', 'is', null)
    .where('revoked_at', 'is', null)
    .forUpdate()
    .$castTo<LockedKey>()
    .executeTakeFirst()

const auditKey = (
  tx: Transaction,
  change: 'created' | 'updated' | 'revoked',
  { workspaceId, id, name }: KeyName & { name: string },
  auditActor: AuditActor,
  now: Micros,
  details?: Readonly<Record<string, unknown>>,
) =>
  audit(tx, {
    ...auditActor,
    workspaceId,
    action: `api-key.${change}`,
    subject: { type: 'api-key', id, name },
    details,
    now,
  })
