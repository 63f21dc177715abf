/**
 * Teams: named groups of members, which lists can be shared with. SCIM calls them groups.
 * See docs/reference/scim.md (Groups).
 */
import { type Expression, sql } from 'kysely'
import { teamNamedTwice, teamNotFound } from '#base/errors/access'
import { newId } from '#base/ids'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { renderArray, type Sql, type Transaction } from '#db/connect'
import { notifyModelChange } from '#engine/data-model/change-model'
import { anyOf, controlQueriesIn, equal, onEqual } from '#engine/data-model/kysely-in-transaction'

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
    .where(equal({ workspace_id: workspaceId, id }))
    .execute()
}

/** Deletes the team with its access to lists and objects. */
export async function deleteTeam(tx: Transaction, key: TeamKey): Promise<void> {
  await notifyIfGranted(tx, key)
  await controlQueriesIn(tx)
    .deleteFrom('relata.teams')
    .where(equal({ workspace_id: key.workspaceId, id: key.teamId }))
    .execute()
}

/** Returns how many people were added. The others were in the team already. */
export async function addToTeam(tx: Transaction, key: TeamKey, people: People, now: Micros): Promise<number> {
  const control = controlQueriesIn(tx)
  const workspace_id = sql<string>`${key.workspaceId}::uuid`.as('workspace_id')
  const team_id = sql<string>`${key.teamId}::uuid`.as('team_id')
  const each = (ids: readonly string[]) => sql<string>`unnest(${renderArray(ids)}::uuid[])`
  const members = await control
    .insertInto('relata.team_members')
    .columns(['workspace_id', 'team_id', 'member_id'])
    .expression(control.selectNoFrom([workspace_id, team_id, each(people.members).as('member_id')]))
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  const invitations = await control
    .insertInto('relata.team_invitations')
    .columns(['workspace_id', 'team_id', 'invitation_id'])
    .expression(control.selectNoFrom([workspace_id, team_id, each(people.invitations).as('invitation_id')]))
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  const count = Number(members.numInsertedOrUpdatedRows) + Number(invitations.numInsertedOrUpdatedRows)
  return noteChange(tx, key, count, now)
}

/** Returns how many people were removed. */
export const removeFromTeam = (tx: Transaction, key: TeamKey, people: People, now: Micros): Promise<number> =>
  deletePeople(tx, key, { people, areRemoved: true }, now)

/** Removes all other members and invited people from the team. Returns how many were removed. */
export const removeOthersFromTeam = (tx: Transaction, key: TeamKey, remaining: People, now: Micros): Promise<number> =>
  deletePeople(tx, key, { people: remaining, areRemoved: false }, now)

async function deletePeople(
  tx: Transaction,
  key: TeamKey,
  { people, areRemoved }: { readonly people: People; readonly areRemoved: boolean },
  now: Micros,
): Promise<number> {
  const control = controlQueriesIn(tx)
  const members = await control
    .deleteFrom('relata.team_members')
    .where(equal({ workspace_id: key.workspaceId, team_id: key.teamId }))
    .where(({ eb, not }) =>
      areRemoved ? eb('member_id', '=', anyOf(people.members)) : not(eb('member_id', '=', anyOf(people.members))),
    )
    .executeTakeFirst()
  const invitations = await control
    .deleteFrom('relata.team_invitations')
    .where(equal({ workspace_id: key.workspaceId, team_id: key.teamId }))
    .where(({ eb, not }) =>
      areRemoved
        ? eb('invitation_id', '=', anyOf(people.invitations))
        : not(eb('invitation_id', '=', anyOf(people.invitations))),
    )
    .executeTakeFirst()
  return noteChange(tx, key, Number(members.numDeletedRows + invitations.numDeletedRows), now)
}

async function noteChange(tx: Transaction, key: TeamKey, count: number, now: Micros): Promise<number> {
  if (count === 0) return 0
  await controlQueriesIn(tx)
    .updateTable('relata.teams')
    .set({ updated_at: timestampFromMicros(now) })
    .where(equal({ workspace_id: key.workspaceId, id: key.teamId }))
    .execute()
  await notifyIfGranted(tx, key)
  return count
}

/** The data model contains the members of teams that have access to a list or an object. */
async function notifyIfGranted(tx: Transaction, { workspaceId, teamId }: TeamKey): Promise<void> {
  const control = controlQueriesIn(tx)
  const grants = (table: 'relata.list_teams' | 'relata.object_teams') =>
    control.selectFrom(table).select('team_id').where('workspace_id', '=', workspaceId).where('team_id', '=', teamId)
  const granted = await grants('relata.list_teams').unionAll(grants('relata.object_teams')).limit(1).executeTakeFirst()
  if (granted !== undefined) await notifyModelChange(tx, workspaceId)
}

export interface TeamWithPeople {
  readonly id: string
  readonly name: string
  /** As PostgreSQL prints it. */
  readonly created_at: string
  readonly member_ids: readonly string[]
  /** The email addresses of people whose invitation has not expired. */
  readonly invited: readonly string[]
}

/** Returns all teams in the order of their names. */
export const listTeams = (on: Sql | Transaction, workspaceId: string, now: Micros): Promise<TeamWithPeople[]> =>
  controlQueriesIn(on)
    .selectFrom('relata.teams as t')
    .select(['t.id', 't.name', 't.created_at'])
    .select(({ selectFrom }) => [
      arrayOf(
        selectFrom('relata.team_members as m')
          .select('m.member_id')
          .whereRef('m.workspace_id', '=', 't.workspace_id')
          .whereRef('m.team_id', '=', 't.id'),
      ).as('member_ids'),
      arrayOf(
        selectFrom('relata.team_invitations as m')
          .innerJoin(
            'relata.invitations as i',
            onEqual({ 'i.workspace_id': 'm.workspace_id', 'i.id': 'm.invitation_id' }),
          )
          .select('i.email_address')
          .whereRef('m.workspace_id', '=', 't.workspace_id')
          .whereRef('m.team_id', '=', 't.id')
          .where('i.expires_at', '>', timestampFromMicros(now))
          .orderBy('i.email_address'),
      ).as('invited'),
    ])
    .where('t.workspace_id', '=', workspaceId)
    .orderBy(({ fn }) => fn<string>('lower', ['t.name']))
    .execute()

const arrayOf = (query: Expression<unknown>) => sql<string[]>`array(${query})`

/** Throws 404 for a team that is not in the workspace, and 400 for a team that is named twice. */
export async function requireTeams(
  tx: Transaction,
  workspaceId: string,
  teams: readonly { readonly team_id: string }[],
): Promise<void> {
  const control = controlQueriesIn(tx)
  const rows = await control.selectFrom('relata.teams').select('id').where('workspace_id', '=', workspaceId).execute()
  const ids = new Set(rows.map(({ id }) => id))
  const seen = new Set<string>()
  for (const { team_id } of teams) {
    const id = team_id.toLowerCase()
    if (!ids.has(id)) throw teamNotFound(team_id)
    if (seen.has(id)) throw teamNamedTwice(team_id)
    seen.add(id)
  }
}
