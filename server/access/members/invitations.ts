/**
 * Invitations to a workspace. The link of an invitation works once, within seven days.
 * See docs/reference/access-and-oauth.md (Workspace members).
 */

import { sql } from 'kysely'
import type { Database, Sql, Transaction } from '#db/connect'
import { controlQueriesIn, ofLiveWorkspace, equal } from '#engine/data-model/kysely-in-transaction'
import { newId } from '#base/ids'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { hashColumn, newSecret } from '#access/secrets'

const VALID_FOR = 7 * 24 * 3600 * 1_000_000

export interface NewInvitation {
  readonly workspaceId: string
  readonly email_address: string
  readonly access_level: 'admin' | 'member'
  /** The id of the member who invites. */
  readonly invitedBy: string
  /** The names and the id that an identity provider sent. */
  readonly first_name?: string
  readonly last_name?: string
  readonly external_id?: string | null
}

export interface InvitationRow {
  readonly workspace_id: string
  readonly id: string
  readonly email_address: string
  readonly access_level: 'admin' | 'member'
  readonly invited_by_workspace_member_id: string
  /** As PostgreSQL prints it. */
  readonly created_at: string
  readonly expires_at: string
}

const COLUMNS = [
  'workspace_id',
  'id',
  'email_address',
  'access_level',
  'invited_by_workspace_member_id',
  'created_at',
  'expires_at',
] as const

/** Renews a valid invitation to the same address, which keeps its id. Its earlier link becomes invalid. */
export async function createInvitation(
  tx: Transaction,
  { workspaceId, invitedBy, email_address, access_level, ...user }: NewInvitation,
  now: Micros,
): Promise<{ id: string; token: string }> {
  const token = newSecret()
  const invitation = {
    email_address,
    access_level,
    token_hash: hashColumn(token),
    invited_by_workspace_member_id: invitedBy,
    created_at: timestampFromMicros(now),
    expires_at: timestampFromMicros(now + VALID_FOR),
  }
  const control = controlQueriesIn(tx)
  await control
    .deleteFrom('relata.invitations')
    .where('workspace_id', '=', workspaceId)
    .where(sql`lower(email_address)`, '=', sql`lower(${email_address})`)
    .where('expires_at', '<=', timestampFromMicros(now))
    .execute()
  const { id } = await control
    .insertInto('relata.invitations')
    .values({ workspace_id: workspaceId, id: newId(), ...invitation, ...user })
    .onConflict((conflict) => conflict.expression(sql`workspace_id, lower(email_address)`).doUpdateSet(invitation))
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, token }
}

/** Returns the valid invitations, newest first. */
export const listInvitations = ({ control }: Database, workspaceId: string, now: Micros): Promise<InvitationRow[]> =>
  control
    .selectFrom('relata.invitations')
    .select(COLUMNS)
    .where('workspace_id', '=', workspaceId)
    .where('expires_at', '>', timestampFromMicros(now))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .$castTo<InvitationRow>()
    .execute()

/** Returns the valid invitation of this secret. `lock` keeps other transactions from using it until this one ends. */
export const findInvitation = (
  connection: Sql | Transaction,
  token: string,
  now: Micros,
  lock?: 'lock',
): Promise<InvitationRow | undefined> =>
  controlQueriesIn(connection)
    .selectFrom('relata.invitations')
    .select(COLUMNS)
    .where('token_hash', '=', hashColumn(token))
    .where('expires_at', '>', timestampFromMicros(now))
    .where(ofLiveWorkspace('workspace_id'))
    .$if(lock !== undefined, (query) => query.forUpdate())
    .$castTo<InvitationRow>()
    .executeTakeFirst()

/** Deletes an invitation and returns it. Returns undefined when the workspace has none with this id. */
export const removeInvitation = (
  connection: Sql | Transaction,
  workspaceId: string,
  id: string,
): Promise<InvitationRow | undefined> =>
  controlQueriesIn(connection)
    .deleteFrom('relata.invitations')
    .where(equal({ workspace_id: workspaceId, id }))
    .returning(COLUMNS)
    .$castTo<InvitationRow>()
    .executeTakeFirst()

/** Deletes at most `limit` expired invitations of all workspaces. Returns their number. */
export async function deleteExpiredInvitations({ sql }: Database, now: Micros, limit: number): Promise<number> {
  const { count } = await sql`
    delete from relata.invitations where (workspace_id, id) in (
      select workspace_id, id from relata.invitations
      where expires_at <= ${timestampFromMicros(now)} limit ${limit} for update skip locked)`
  return count
}

/** Deletes the invitations of an address, so that their links do not give access. */
export async function removeInvitationsTo(tx: Transaction, workspaceId: string, emailAddress: string): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.invitations')
    .where('workspace_id', '=', workspaceId)
    .where(sql`lower(email_address)`, '=', sql`lower(${emailAddress})`)
    .execute()
}

/**
 * Deletes an invitation that was accepted. The member gets its teams and the id of the identity provider, which also finds
 * the member by the id of the invitation.
 */
export async function endAcceptedInvitation(
  tx: Transaction,
  { workspace_id, id }: Pick<InvitationRow, 'workspace_id' | 'id'>,
  memberId: string,
): Promise<void> {
  const control = controlQueriesIn(tx)
  await control
    .insertInto('relata.team_members')
    .columns(['workspace_id', 'team_id', 'member_id'])
    .expression((query) =>
      query
        .selectFrom('relata.team_invitations')
        .select(['workspace_id', 'team_id', sql<string>`${memberId}::uuid`.as('member_id')])
        .where(equal({ workspace_id, invitation_id: id })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await control
    .insertInto('relata.accepted_invitations')
    .values({ workspace_id, invitation_id: id, member_id: memberId })
    .execute()
  await control
    .updateTable('relata.workspace_members as m')
    .from('relata.invitations as i')
    .set(({ ref }) => ({ external_id: ref('i.external_id') }))
    .where(equal({ 'm.workspace_id': workspace_id, 'm.id': memberId }))
    .whereRef('i.workspace_id', '=', 'm.workspace_id')
    .where('i.id', '=', id)
    .where('i.external_id', 'is not', null)
    .execute()
  await removeInvitation(tx, workspace_id, id)
}
