/** The rows of users: members, and invitations that are not accepted yet and have not expired. How they are rendered. See docs/reference/scim.md (Users). */
import { type RawBuilder, sql } from 'kysely'
import { type ScimCondition, userIdOf } from '#api/scim/filter/compile'
import { CORE } from '#api/scim/filter/parse'
import { type Clock, type Micros, timestampFromMicros, timestampFromPostgres } from '#base/timing/clock'
import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn, equal, runUnprepared } from '#engine/data-model/kysely-in-transaction'
import type { ScimRole } from './user-change'

export interface UserRow {
  readonly id: string
  readonly kind: 'member' | 'invitation'
  readonly account_id: string | null
  /** In lower case. */
  readonly user_name: string
  readonly first_name: string
  readonly last_name: string
  readonly access_level: ScimRole | 'suspended'
  readonly former_access_level: ScimRole | null
  readonly external_id: string | null
  readonly avatar_url: string | null
  /** As PostgreSQL prints it. */
  readonly created_at: string
  readonly updated_at: string
  readonly is_deleted: boolean
}

const members = (workspaceId: string) => sql`
  select id, 'member' as kind, account_id, lower(email_address) as user_name, first_name, last_name, access_level,
    former_access_level, external_id, avatar_url, created_at, coalesce(updated_at, created_at) as updated_at,
    user_deleted_at is not null as is_deleted
  from relata.workspace_members where workspace_id = ${workspaceId}`

/** Whose users a statement reads, and the clock by which invitations expire. */
interface UserScope {
  readonly workspaceId: string
  readonly now: Clock
}

/** A member without an account may have an invitation. Then the member is the user. */
const invitations = ({ workspaceId, now }: UserScope) => sql`
  select id, 'invitation', null::uuid, lower(email_address), first_name, last_name, access_level,
    null, external_id, null, created_at, coalesce(updated_at, created_at), false
  from relata.invitations i
  where workspace_id = ${workspaceId} and expires_at > ${timestampFromMicros(now())} and not exists (
    select 1 from relata.workspace_members m
    where m.workspace_id = i.workspace_id and lower(m.email_address) = lower(i.email_address))`

/** All users that lists show, as a table expression. */
const listedUsers = (scope: UserScope) =>
  sql`(${members(scope.workspaceId)} and user_deleted_at is null union all ${invitations(scope)}) u`

export interface UserPage {
  readonly offset: number
  readonly limit: number
}

/** Returns a page of the users in the order of their creation, and how many there are. */
export async function listUserRows(
  connection: Sql,
  scope: UserScope,
  condition: ScimCondition,
  { offset, limit }: UserPage,
): Promise<{ total: number; rows: UserRow[] }> {
  const users = listedUsers(scope)
  const [counted, rows] = await Promise.all([
    runUnprepared<{ total: number }>(connection, sql`select count(*)::int as total from ${users} where ${condition}`),
    runUnprepared<UserRow>(
      connection,
      sql`select * from ${users} where ${condition} order by created_at, id limit ${limit} offset ${offset}`,
    ),
  ])
  return { total: counted[0]?.total ?? 0, rows }
}

/** Returns the user with this id, also a deleted one. The id of an accepted invitation is that of its member. */
export async function findUser(
  connection: Sql | Transaction,
  scope: UserScope,
  id: string,
): Promise<UserRow | undefined> {
  const found = await findUserWhere(connection, scope, sql`u.id = ${userIdOf(scope.workspaceId, id)}`)
  return found ?? (await findInvitedMember(connection, scope, id))
}

/** Returns the member without an account who has the invitation with this id. */
const findInvitedMember = (connection: Sql | Transaction, scope: UserScope, id: string) =>
  findUserWhere(
    connection,
    scope,
    sql`u.user_name = (
      select lower(email_address) from relata.invitations
      where workspace_id = ${scope.workspaceId} and id = ${id}::uuid
        and expires_at > ${timestampFromMicros(scope.now())})`,
  )

/** Returns the user with this address, also a deleted one. */
export const findUserByName = (tx: Transaction, scope: UserScope, userName: string): Promise<UserRow | undefined> =>
  findUserWhere(tx, scope, sql`u.user_name = lower(${userName})`)

async function findUserWhere(
  connection: Sql | Transaction,
  scope: UserScope,
  condition: RawBuilder<unknown>,
): Promise<UserRow | undefined> {
  const { rows } = await sql<UserRow>`
    select * from (${members(scope.workspaceId)} union all ${invitations(scope)}) u where ${condition}
    limit 1`.execute(controlQueriesIn(connection))
  return rows[0]
}

/** Returns the teams of a user in the order of their names. */
export async function listTeamsOfUser(
  connection: Sql,
  workspaceId: string,
  userId: string,
): Promise<{ id: string; name: string }[]> {
  const { rows } = await sql<{ id: string; name: string }>`
    select t.id, t.name from relata.teams t
    join (
      select workspace_id, team_id from relata.team_members where workspace_id = ${workspaceId} and member_id = ${userId}
      union all
      select workspace_id, team_id from relata.team_invitations
      where workspace_id = ${workspaceId} and invitation_id = ${userId}
    ) u on u.workspace_id = t.workspace_id and u.team_id = t.id
    order by lower(t.name)`.execute(controlQueriesIn(connection))
  return rows
}

/** What an identity provider stores beside the names and the access level of a member. */
interface ProviderFields {
  readonly email_address: string
  readonly external_id: string | null
  /** The access level that a reactivation restores. */
  readonly former_access_level: ScimRole | null
  readonly user_deleted_at: string | null
  readonly updated_at: string
}

export async function updateProviderFields(
  tx: Transaction,
  workspaceId: string,
  id: string,
  fields: Partial<ProviderFields>,
): Promise<void> {
  if (Object.keys(fields).length === 0) return
  await controlQueriesIn(tx)
    .updateTable('relata.workspace_members')
    .set(fields)
    .where(equal({ workspace_id: workspaceId, id }))
    .execute()
}

export async function updateInvitation(
  tx: Transaction,
  workspaceId: string,
  { id, ...fields }: Pick<UserRow, 'id' | 'first_name' | 'last_name' | 'external_id'> & { access_level: ScimRole },
  now: Micros,
): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.invitations')
    .set({ ...fields, updated_at: timestampFromMicros(now) })
    .where(equal({ workspace_id: workspaceId, id }))
    .execute()
}

/** Returns the id of the member of the workspace who signs in with an account. */
export async function findMemberOfAccount(
  tx: Transaction,
  workspaceId: string,
  accountId: string,
): Promise<string | undefined> {
  const member = await controlQueriesIn(tx)
    .selectFrom('relata.workspace_members')
    .select('id')
    .where(equal({ account_id: accountId, workspace_id: workspaceId }))
    .executeTakeFirst()
  return member?.id
}

/** Changes the address with which an account signs in. Returns false when another account has the new address. */
export async function updateAccountAddress(tx: Transaction, accountId: string, emailAddress: string): Promise<boolean> {
  const control = controlQueriesIn(tx)
  const other = await control
    .selectFrom('relata.accounts')
    .select('id')
    .where('email_address', '=', emailAddress)
    .where('id', '<>', accountId)
    .executeTakeFirst()
  if (other !== undefined) return false
  await control
    .updateTable('relata.accounts')
    .set({ email_address: emailAddress })
    .where('id', '=', accountId)
    .execute()
  return true
}

export const USER_SCHEMA = `${CORE}User`

export interface RenderedTeam {
  readonly id: string
  readonly name: string
}

/** `location` is the URL of the user. `teams` is undefined in lists. */
export function renderUser(user: UserRow, location: string, teams?: readonly RenderedTeam[]): Record<string, unknown> {
  const { id, user_name, first_name, last_name, access_level, external_id, avatar_url } = user
  const role = access_level === 'suspended' ? undefined : access_level
  return {
    schemas: [USER_SCHEMA],
    id,
    ...(external_id === null ? {} : { externalId: external_id }),
    userName: user_name,
    name: { givenName: first_name, familyName: last_name },
    emails: [{ value: user_name, primary: true, type: 'work' }],
    active: role !== undefined,
    ...(role === undefined ? {} : { appRole: role, roles: [{ value: role, primary: true }] }),
    profileUrl: avatar_url,
    ...(teams && { groups: teams.map(renderTeam) }),
    meta: renderMeta('User', user, location),
  }
}

const renderTeam = ({ id, name }: RenderedTeam) => ({ value: id, display: name, $ref: `/scim/v2/Groups/${id}` })

interface Dated {
  readonly created_at: string
  readonly updated_at: string
}

export const renderMeta = (resourceType: 'User' | 'Group', { created_at, updated_at }: Dated, location: string) => ({
  resourceType,
  created: milliseconds(created_at),
  lastModified: milliseconds(updated_at),
  location,
})

const milliseconds = (timestamp: string): string => `${timestampFromPostgres(timestamp).slice(0, 23)}Z`
