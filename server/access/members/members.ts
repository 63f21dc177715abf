/**
 * The people of a workspace. They are never deleted, so that what they did stays theirs.
 * See docs/reference/access-and-oauth.md (Workspace members).
 */

import type { Database, Sql, Transaction } from '../../../db/connect'
import { appendToOutbox, type EventOrigin } from '../../events/outbox'
import { newId } from '../../ids'
import { timestampFromMicros, type Micros } from '../../timing/clock'
import { createActor } from './actors'
import type { AccessLevel } from './memberships'

export interface NewMember {
  readonly first_name: string
  readonly last_name: string
  readonly email_address: string
  readonly access_level: AccessLevel
  /** The account that signs in as this member; null for one who was only named. */
  readonly account_id: string | null
}

export interface MemberRow extends NewMember {
  readonly id: string
  readonly avatar_url: string | null
  /** As PostgreSQL prints it. */
  readonly created_at: string
}

/** Adds a person to a workspace, and the actor that stands for what they do. */
export async function createMember(
  db: Database,
  workspaceId: string,
  member: NewMember,
  now: Micros,
): Promise<{ id: string }> {
  const id = await db.sql.begin((tx) => insertMember(tx, workspaceId, member, now))
  return { id }
}

/**
 * The same within a transaction; gives the id. Who has an account joins by it, which is told.
 * See docs/reference/webhooks-and-events.md (What causes what).
 */
export async function insertMember(
  tx: Transaction,
  workspaceId: string,
  member: NewMember,
  now: Micros,
): Promise<string> {
  const id = newId()
  const actor = await createActor(tx, workspaceId, 'workspace-member', id)
  await tx`
    insert into relata.workspace_members
      (workspace_id, id, account_id, first_name, last_name, email_address, access_level, created_at)
    values
      (${workspaceId}, ${id}, ${member.account_id}, ${member.first_name}, ${member.last_name},
       ${member.email_address}, ${member.access_level}, ${timestampFromMicros(now)})`
  if (member.account_id !== null) await recordMemberCreated(tx, { workspaceId, actor, at: now }, id)
  return id
}

/** In the order of their creation. */
export async function listMembers({ sql }: Database, workspaceId: string): Promise<MemberRow[]> {
  return sql<MemberRow[]>`
    select ${columns(sql)} from relata.workspace_members where workspace_id = ${workspaceId} order by created_at, id`
}

export async function findMember(
  { sql }: { sql: Sql | Transaction },
  workspaceId: string,
  id: string,
): Promise<MemberRow | undefined> {
  const [member] = await sql<MemberRow[]>`
    select ${columns(sql)} from relata.workspace_members where workspace_id = ${workspaceId} and id = ${id}`
  return member
}

/** In any case of its letters. */
export async function findMemberByEmail(
  sql: Sql | Transaction,
  workspaceId: string,
  emailAddress: string,
): Promise<MemberRow | undefined> {
  const [member] = await sql<MemberRow[]>`
    select ${columns(sql)} from relata.workspace_members
    where workspace_id = ${workspaceId} and lower(email_address) = lower(${emailAddress})`
  return member
}

const columns = (sql: Sql | Transaction) =>
  sql`id, account_id, first_name, last_name, email_address, avatar_url, access_level, created_at`

/** What can change of a member: their names, and what they may do. */
export async function updateMember(tx: Transaction, workspaceId: string, member: MemberRow): Promise<void> {
  await tx`
    update relata.workspace_members
    set first_name = ${member.first_name}, last_name = ${member.last_name}, access_level = ${member.access_level}
    where workspace_id = ${workspaceId} and id = ${member.id}`
}

/** Whether nobody else who can sign in could administer the workspace. */
export async function isOnlyAdmin(tx: Transaction, workspaceId: string, member: MemberRow): Promise<boolean> {
  if (member.access_level !== 'admin' || member.account_id === null) return false
  const others = await tx`
    select 1 from relata.workspace_members
    where workspace_id = ${workspaceId} and id <> ${member.id} and access_level = 'admin' and account_id is not null
    limit 1`
  return others.length === 0
}

/** Gives somebody who was only named an account, and what they may do: they join. */
export async function linkAccount(
  tx: Transaction,
  workspaceId: string,
  id: string,
  member: NewMember,
  now: Micros,
): Promise<void> {
  await tx`
    update relata.workspace_members
    set account_id = ${member.account_id}, first_name = ${member.first_name}, last_name = ${member.last_name},
      access_level = ${member.access_level}
    where workspace_id = ${workspaceId} and id = ${id}`
  const [actor] = await tx<[{ number: number }?]>`
    select number from relata.actors where workspace_id = ${workspaceId} and type = 'workspace-member' and id = ${id}`
  if (actor) await recordMemberCreated(tx, { workspaceId, actor: actor.number, at: now }, id)
}

const recordMemberCreated = (tx: Transaction, origin: EventOrigin, id: string): Promise<void> =>
  appendToOutbox(tx, origin, [{ event_type: 'workspace-member.created', id: { workspace_member_id: id } }])
