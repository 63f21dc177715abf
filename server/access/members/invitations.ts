/**
 * Invitations into a workspace: a link that is good for seven days and once.
 * See docs/reference/access-and-oauth.md (Workspace members).
 */

import type { Database, Sql, Transaction } from '../../../db/connect'
import { newId } from '../../ids'
import { timestampFromMicros, type Micros } from '../../timing/clock'
import { hashSecret, newSecret } from '../secrets'

const VALID_FOR = 7 * 24 * 3600 * 1_000_000

export interface NewInvitation {
  readonly workspaceId: string
  readonly email_address: string
  readonly access_level: 'admin' | 'member'
  readonly invitedBy: string
}

export interface InvitationRow {
  readonly workspace_id: string
  readonly id: string
  readonly email_address: string
  readonly access_level: 'admin' | 'member'
  readonly invited_by_workspace_member_id: string
  /** As PostgreSQL prints them. */
  readonly created_at: string
  readonly expires_at: string
}

/** Replaces an earlier one to the same address, whose link ends. */
export async function createInvitation(
  tx: Transaction,
  { workspaceId, email_address, access_level, invitedBy }: NewInvitation,
  now: Micros,
): Promise<{ id: string; token: string }> {
  const id = newId()
  const token = newSecret()
  await tx`
    insert into relata.invitations
      (workspace_id, id, email_address, access_level, token_hash, invited_by_workspace_member_id, created_at, expires_at)
    values
      (${workspaceId}, ${id}, ${email_address}, ${access_level}, decode(${hashSecret(token)}, 'hex'), ${invitedBy},
       ${timestampFromMicros(now)}, ${timestampFromMicros(now + VALID_FOR)})
    on conflict (workspace_id, lower(email_address)) do update set
      id = excluded.id, email_address = excluded.email_address, access_level = excluded.access_level,
      token_hash = excluded.token_hash, invited_by_workspace_member_id = excluded.invited_by_workspace_member_id,
      created_at = excluded.created_at, expires_at = excluded.expires_at`
  return { id, token }
}

/** The newest first; expired ones too, which can be sent anew. */
export async function listInvitations({ sql }: Database, workspaceId: string): Promise<InvitationRow[]> {
  return sql<InvitationRow[]>`
    select ${columns(sql)} from relata.invitations i where workspace_id = ${workspaceId} order by created_at desc, id`
}

/** The one this secret stands for, while it is good. `lock` keeps others from using it until the transaction ends. */
export async function findInvitation(
  sql: Sql | Transaction,
  token: string,
  now: Micros,
  lock?: 'lock',
): Promise<InvitationRow | undefined> {
  const [row] = await sql<InvitationRow[]>`
    select ${columns(sql)} from relata.invitations i
    where token_hash = decode(${hashSecret(token)}, 'hex') and expires_at > ${timestampFromMicros(now)}
    ${lock ? sql`for update` : sql``}`
  return row
}

/** Gives it, or undefined when the workspace has none of this id. */
export async function removeInvitation(
  sql: Sql | Transaction,
  workspaceId: string,
  id: string,
): Promise<InvitationRow | undefined> {
  const [row] = await sql<InvitationRow[]>`
    delete from relata.invitations i where workspace_id = ${workspaceId} and id = ${id} returning ${columns(sql)}`
  return row
}

const columns = (sql: Sql | Transaction) => sql`
  i.workspace_id, i.id, i.email_address, i.access_level, i.invited_by_workspace_member_id, i.created_at, i.expires_at`
