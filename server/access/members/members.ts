/**
 * The members of a workspace. A member is never deleted, because values and the audit log refer to members.
 * See docs/reference/access-and-oauth.md (Workspace members).
 */

import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { sql } from 'kysely'
import type { Database, Sql, Transaction } from '#db/connect'
import { appendToOutbox, type EventOrigin } from '#engine/outbox/outbox'
import { newId } from '#base/ids'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { breakGlassAdmin, noFreeSeat } from '#base/errors/access'
import { isBreakGlassAdmin } from '#access/providers/rules'
import { endSessionsWithoutAccess } from '#access/sessions/sessions'
import { createActor, findActorNumber } from './actors'
import { removeInvitationsTo } from './invitations'
import type { MemberAccessLevel } from './memberships'

export interface NewMember {
  readonly first_name: string
  readonly last_name: string
  readonly email_address: string
  readonly access_level: MemberAccessLevel
  /** The account that signs in as this member. It is null for a member who cannot sign in yet. */
  readonly account_id: string | null
}

export interface MemberRow extends NewMember {
  readonly id: string
  readonly avatar_url: string | null
  /** As PostgreSQL prints it. */
  readonly created_at: string
}

const COLUMNS = [
  'id',
  'account_id',
  'first_name',
  'last_name',
  'email_address',
  'avatar_url',
  'access_level',
  'created_at',
] as const

/** Adds a member to a workspace, and the actor of the member's changes. */
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
 * Does the same within a transaction and returns the id. A member with an account causes a change event.
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
  const { account_id, first_name, last_name, email_address, access_level } = member
  await controlQueriesIn(tx)
    .insertInto('relata.workspace_members')
    .values({
      workspace_id: workspaceId,
      id,
      account_id,
      first_name,
      last_name,
      email_address,
      access_level,
      created_at: timestampFromMicros(now),
    })
    .execute()
  if (account_id !== null) await recordMemberCreated(tx, { workspaceId, actor, at: now }, id)
  return id
}

/** Returns the members in the order of their creation. */
export const listMembers = ({ sql }: Database, workspaceId: string): Promise<MemberRow[]> =>
  membersOf(sql, workspaceId).orderBy('created_at').orderBy('id').$castTo<MemberRow>().execute()

export const findMember = (
  { sql }: { sql: Sql | Transaction },
  workspaceId: string,
  id: string,
): Promise<MemberRow | undefined> =>
  membersOf(sql, workspaceId).where('id', '=', id).$castTo<MemberRow>().executeTakeFirst()

/** Upper and lower case are the same in addresses. */
export const findMemberByEmail = (
  connection: Sql | Transaction,
  workspaceId: string,
  emailAddress: string,
): Promise<MemberRow | undefined> =>
  membersOf(connection, workspaceId)
    .where(sql`lower(email_address)`, '=', sql`lower(${emailAddress})`)
    .$castTo<MemberRow>()
    .executeTakeFirst()

const membersOf = (connection: Sql | Transaction, workspaceId: string) =>
  controlQueriesIn(connection)
    .selectFrom('relata.workspace_members')
    .select(COLUMNS)
    .where('workspace_id', '=', workspaceId)

/**
 * Stores the names and the access level of a member. A suspended member's former access level is stored as well, and the
 * access of the member ends. Throws 409 for the admin who keeps the password.
 */
export async function updateMember(
  tx: Transaction,
  workspaceId: string,
  before: Pick<MemberRow, 'id' | 'account_id' | 'email_address' | 'access_level'>,
  { first_name, last_name, access_level }: Pick<MemberRow, 'first_name' | 'last_name' | 'access_level'>,
  now: Micros,
): Promise<void> {
  const { id } = before
  if (access_level !== 'admin' && (await isBreakGlassAdmin(tx, workspaceId, id))) throw breakGlassAdmin()
  await controlQueriesIn(tx)
    .updateTable('relata.workspace_members')
    .set(({ ref }) => ({
      first_name,
      last_name,
      access_level,
      former_access_level: sql<string | null>`case when access_level <> 'suspended' and ${access_level} = 'suspended'
        then access_level else former_access_level end`,
      user_deleted_at: access_level === 'suspended' ? ref('user_deleted_at') : null,
      updated_at: timestampFromMicros(now),
    }))
    .where(equal({ workspace_id: workspaceId, id }))
    .execute()
  if (before.access_level !== 'suspended' && access_level === 'suspended') await endAccess(tx, workspaceId, before)
}

/**
 * Ends what a suspended member could use the workspace with: sessions, and invitations to the member's address. Every request
 * of the console and every open stream checks the access level, and so does the exchange of an authorization code. API keys
 * and grants of apps belong to the workspace; admins revoke them.
 */
async function endAccess(
  tx: Transaction,
  workspaceId: string,
  { account_id, email_address }: Pick<MemberRow, 'account_id' | 'email_address'>,
): Promise<void> {
  if (account_id !== null) await endSessionsWithoutAccess(tx, account_id, workspaceId)
  await removeInvitationsTo(tx, workspaceId, email_address)
}

/** Whether the member is the only admin of the workspace who can sign in. */
export async function isOnlyAdmin(
  tx: Transaction,
  workspaceId: string,
  member: Pick<MemberRow, 'id' | 'account_id' | 'access_level'>,
): Promise<boolean> {
  if (member.access_level !== 'admin' || member.account_id === null) return false
  const other = await membersOf(tx, workspaceId)
    .where('id', '<>', member.id)
    .where('access_level', '=', 'admin')
    .where('account_id', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return other === undefined
}

/** Waits for running changes of members and teams of the workspace, and blocks new ones until the transaction ends. */
export async function lockMembers(tx: Transaction, workspaceId: string): Promise<void> {
  await controlQueriesIn(tx)
    .selectFrom('relata.workspaces')
    .select('id')
    .where('id', '=', workspaceId)
    .forNoKeyUpdate()
    .execute()
}

/** Links an account to a member without one, and stores the member's names and access level. */
export async function linkAccount(
  tx: Transaction,
  workspaceId: string,
  id: string,
  { account_id, first_name, last_name, access_level }: NewMember,
  now: Micros,
): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.workspace_members')
    .set({ account_id, first_name, last_name, access_level })
    .where(equal({ workspace_id: workspaceId, id }))
    .execute()
  const actor = await findActorNumber(tx, workspaceId, 'workspace-member', id)
  if (actor !== undefined) await recordMemberCreated(tx, { workspaceId, actor, at: now }, id)
}

const recordMemberCreated = (tx: Transaction, origin: EventOrigin, id: string): Promise<void> =>
  appendToOutbox(tx, origin, [{ event_type: 'workspace-member.created', id: { workspace_member_id: id } }])

// How many members of a workspace may be active: the setting RELATA_MEMBER_QUOTA. Each member who is not suspended has a seat.
// See docs/reference/access-and-oauth.md (Seats).

/** Runs in the transaction in which a member became active or got an account. Throws 403 when more are active than may be. */
export async function requireSeat(tx: Transaction, workspaceId: string, quota: number): Promise<void> {
  if ((await countSeats(tx, workspaceId, quota)) > quota) throw noFreeSeat(quota)
}

/** An invitation has no seat, so several may be sent for the last one. Throws 403 when there is no seat for another member. */
export async function requireFreeSeat(tx: Transaction, workspaceId: string, quota: number): Promise<void> {
  if ((await countSeats(tx, workspaceId, quota)) >= quota) throw noFreeSeat(quota)
}

/** The lock orders concurrent changes, so that two of them do not get the last seat. */
async function countSeats(tx: Transaction, workspaceId: string, quota: number): Promise<number> {
  if (quota === Number.POSITIVE_INFINITY) return 0
  await lockMembers(tx, workspaceId)
  const { count } = await controlQueriesIn(tx)
    .selectFrom('relata.workspace_members')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('access_level', '<>', 'suspended')
    .executeTakeFirstOrThrow()
  return Number(count)
}
