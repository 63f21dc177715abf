/**
 * Teams: named groups of members, which lists can be shared with. SCIM calls them groups.
 * See docs/reference/scim.md (Groups).
 */

import { sql } from 'kysely'
import type { Sql, Transaction } from '#db/connect'
import { notifyModelChange } from '#engine/data-model/change-model'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { newId } from '#base/ids'
import { timestampFromMicros, type Micros } from '#base/timing/clock'

export const MAX_TEAM_NAME = 200

export interface TeamRow {
  readonly id: string
  readonly name: string
  readonly external_id: string | null
  /** As PostgreSQL prints it. */
  readonly created_at: string
  readonly updated_at: string
}

/** Names a team within its workspace. */
export interface TeamKey {
  readonly workspaceId: string
  readonly teamId: string
}

const COLUMNS = ['id', 'name', 'external_id', 'created_at', 'updated_at'] as const

/** The ids of members, and of the invitations of people who become members. */
export interface People {
  readonly members: readonly string[]
  readonly invitations: readonly string[]
}

export async function insertTeam(
  tx: Transaction,
  workspaceId: string,
  { name, external_id = null }: { readonly name: string; readonly external_id?: string | null },
  now: Micros,
): Promise<string> {
  const id = newId()
  const at = timestampFromMicros(now)
  await controlQueriesIn(tx)
    .insertInto('relata.teams')
    .values({ workspace_id: workspaceId, id, name, external_id, created_at: at, updated_at: at })
    .execute()
  return id
}

const teamsOf = (connection: Sql | Transaction, workspaceId: string) =>
  controlQueriesIn(connection).selectFrom('relata.teams').select(COLUMNS).where('workspace_id', '=', workspaceId)

export const findTeam = (
  connection: Sql | Transaction,
  workspaceId: string,
  id: string,
): Promise<TeamRow | undefined> =>
  teamsOf(connection, workspaceId).where('id', '=', id).$castTo<TeamRow>().executeTakeFirst()

/** Upper and lower case are the same in names. */
export const findTeamByName = (tx: Transaction, workspaceId: string, name: string): Promise<TeamRow | undefined> =>
  teamsOf(tx, workspaceId)
    .where(sql`lower(name)`, '=', sql`lower(${name})`)
    .$castTo<TeamRow>()
    .executeTakeFirst()

/** Stores the name and the external id. */
export async function updateTeam(
  tx: Transaction,
  workspaceId: string,
  { id, name, external_id }: Pick<TeamRow, 'id' | 'name' | 'external_id'>,
  now: Micros,
): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.teams')
    .set({ name, external_id, updated_at: timestampFromMicros(now) })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** Deletes the team with its access to lists and objects. */
export async function deleteTeam(tx: Transaction, key: TeamKey): Promise<void> {
  await notifyIfGranted(tx, key)
  await controlQueriesIn(tx)
    .deleteFrom('relata.teams')
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.teamId)
    .execute()
}

/** Returns how many people were added. The others were in the team already. */
export async function addToTeam(tx: Transaction, key: TeamKey, people: People, now: Micros): Promise<number> {
  const { workspaceId, teamId } = key
  const members = await tx`
    insert into relata.team_members (workspace_id, team_id, member_id)
    select ${workspaceId}::uuid, ${teamId}::uuid, unnest(${[...people.members]}::uuid[])
    on conflict do nothing`
  const invitations = await tx`
    insert into relata.team_invitations (workspace_id, team_id, invitation_id)
    select ${workspaceId}::uuid, ${teamId}::uuid, unnest(${[...people.invitations]}::uuid[])
    on conflict do nothing`
  return noteChange(tx, key, members.count + invitations.count, now)
}

/** Returns how many people were removed. */
export async function removeFromTeam(tx: Transaction, key: TeamKey, people: People, now: Micros): Promise<number> {
  const { workspaceId, teamId } = key
  const members = await tx`
    delete from relata.team_members
    where workspace_id = ${workspaceId} and team_id = ${teamId} and member_id = any(${[...people.members]}::uuid[])`
  const invitations = await tx`
    delete from relata.team_invitations
    where workspace_id = ${workspaceId} and team_id = ${teamId}
      and invitation_id = any(${[...people.invitations]}::uuid[])`
  return noteChange(tx, key, members.count + invitations.count, now)
}

/** Removes all other members and invited people from the team. Returns how many were removed. */
export async function removeOthersFromTeam(
  tx: Transaction,
  key: TeamKey,
  remaining: People,
  now: Micros,
): Promise<number> {
  const { workspaceId, teamId } = key
  const members = await tx`
    delete from relata.team_members
    where workspace_id = ${workspaceId} and team_id = ${teamId} and member_id <> all(${[...remaining.members]}::uuid[])`
  const invitations = await tx`
    delete from relata.team_invitations
    where workspace_id = ${workspaceId} and team_id = ${teamId}
      and invitation_id <> all(${[...remaining.invitations]}::uuid[])`
  return noteChange(tx, key, members.count + invitations.count, now)
}

async function noteChange(tx: Transaction, key: TeamKey, count: number, now: Micros): Promise<number> {
  if (count === 0) return 0
  await controlQueriesIn(tx)
    .updateTable('relata.teams')
    .set({ updated_at: timestampFromMicros(now) })
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.teamId)
    .execute()
  await notifyIfGranted(tx, key)
  return count
}

/** The data model contains the members of teams that have access to a list or an object. */
async function notifyIfGranted(tx: Transaction, { workspaceId, teamId }: TeamKey): Promise<void> {
  const [row] = await tx<{ is_granted: boolean }[]>`
    select exists (select 1 from relata.list_teams where workspace_id = ${workspaceId} and team_id = ${teamId})
      or exists (select 1 from relata.object_teams where workspace_id = ${workspaceId} and team_id = ${teamId})
      as is_granted`
  if (row?.is_granted === true) await notifyModelChange(tx, workspaceId)
}
