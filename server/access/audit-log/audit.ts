/**
 * Who did what to what may be done: appended in the transaction of the change itself, never altered.
 * See docs/reference/access-and-oauth.md (Secrets and the audit log).
 */

import type { Sql, Transaction } from '../../../db/connect'
import { newId } from '../../ids'
import { timestampFromMicros, type Micros } from '../../timing/clock'

/** Who did it, and from where. */
export interface AuditActor {
  /** Null when nobody is known to have done it. */
  readonly actor: { readonly type: string; readonly id: string | null } | null
  readonly address?: string | null
}

export interface AuditEntry extends AuditActor {
  /** Null for what concerns no workspace in particular. */
  readonly workspaceId: string | null
  /** A thing and what became of it, e.g. `api-key.created`. */
  readonly action: `${string}.${string}`
  readonly subject: { readonly type: string; readonly id: string | null; readonly name?: string | null }
  /** What else is worth knowing; never a secret. */
  readonly details?: Readonly<Record<string, unknown>>
  readonly now: Micros
}

/** Somebody at a shell of the machine itself. */
export const COMMAND_LINE: AuditActor = { actor: { type: 'system', id: 'command-line' } }

export async function audit(sql: Sql | Transaction, entry: AuditEntry): Promise<void> {
  const { workspaceId, actor, action, subject, details, address, now } = entry
  await sql`
    insert into relata.audit_log
      (id, workspace_id, action, actor_type, actor_id, subject_type, subject_id, subject_name, details, address,
       created_at)
    values
      (${newId()}, ${workspaceId}, ${action}, ${actor?.type ?? null}, ${actor?.id ?? null},
       ${subject.type}, ${subject.id}, ${subject.name ?? null}, ${JSON.stringify(details ?? {})}::text::jsonb,
       ${address ?? null}, ${timestampFromMicros(now)})`
}

export interface AccountEntry {
  readonly emailAddress: string
  readonly action: 'sign-in.succeeded' | 'sign-in.failed' | 'password.changed' | 'password.reset'
  /** Whether the account's owner did it, as far as we know. */
  readonly isOwner: boolean
  readonly address: string | null
  readonly details?: Readonly<Record<string, unknown>>
  readonly now: Micros
}

/**
 * What happens to an account concerns every workspace it is a member of, and is kept for the account alone where there is
 * none. An address nobody has leaves no entry, after the same time.
 */
export async function auditAccount(sql: Sql | Transaction, entry: AccountEntry): Promise<void> {
  const { emailAddress, action, isOwner, address, details, now } = entry
  await sql`
    insert into relata.audit_log
      (id, workspace_id, account_id, action, actor_type, actor_id, subject_type, subject_id, subject_name, details,
       address, created_at)
    select gen_random_uuid(), m.workspace_id, a.id, ${action},
      case when ${isOwner} then 'workspace-member' end, case when ${isOwner} then m.id::text end,
      'account', a.id::text, a.email_address, ${JSON.stringify(details ?? {})}::text::jsonb, ${address}::text,
      ${timestampFromMicros(now)}::timestamptz
    from relata.accounts a left join relata.workspace_members m on m.account_id = a.id
    where a.email_address = ${emailAddress.toLowerCase()}`
}
