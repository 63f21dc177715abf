/** Reads groups with their members. */

import { controlQueriesIn, runUnprepared } from '#engine/data-model/kysely-in-transaction'
import { sql } from 'kysely'
import type { Sql } from '#db/connect'
import type { TeamRow } from '#access/teams/teams'
import { type Clock, timestampFromMicros } from '#base/timing/clock'
import { compileIdComparison, type ScimCondition, type FilterAttributes, userIdOf } from '#api/scim/filter/compile'
import { renderMeta, type UserPage } from '#api/scim/users/store'
import { CORE } from '#api/scim/filter/parse'

/** Whose groups a statement reads, and the clock by which invitations expire. */
interface GroupScope {
  readonly workspaceId: string
  readonly now: Clock
}

interface GroupMember {
  readonly id: string
  readonly display: string
}

/** Returns a page of the groups in the order of their creation, and how many there are. */
export async function listGroupRows(
  connection: Sql,
  workspaceId: string,
  condition: ScimCondition,
  { offset, limit }: UserPage,
): Promise<{ total: number; rows: TeamRow[] }> {
  const groups = sql`relata.teams g where g.workspace_id = ${workspaceId} and ${condition}`
  const [counted, rows] = await Promise.all([
    runUnprepared<{ total: number }>(connection, sql`select count(*)::int as total from ${groups}`),
    runUnprepared<TeamRow>(
      connection,
      sql`select id, name, external_id, created_at, updated_at from ${groups}
        order by created_at, id limit ${limit} offset ${offset}`,
    ),
  ])
  return { total: counted[0]?.total ?? 0, rows }
}

/** Returns the members of each group by the group's id. */
export async function membersOfGroups(
  connection: Sql,
  { workspaceId, now }: GroupScope,
  groupIds: readonly string[],
): Promise<Map<string, GroupMember[]>> {
  const { rows } = await sql<GroupMember & { team_id: string }>`
    select t.team_id, m.id, coalesce(nullif(trim(m.first_name || ' ' || m.last_name), ''), lower(m.email_address)) as display
    from relata.team_members t
    join relata.workspace_members m on m.workspace_id = t.workspace_id and m.id = t.member_id
    where t.workspace_id = ${workspaceId} and t.team_id = any(${[...groupIds]}::uuid[])
    union all
    select t.team_id, i.id, coalesce(nullif(trim(i.first_name || ' ' || i.last_name), ''), lower(i.email_address))
    from relata.team_invitations t
    join relata.invitations i on i.workspace_id = t.workspace_id and i.id = t.invitation_id
      and i.expires_at > ${timestampFromMicros(now())}
    where t.workspace_id = ${workspaceId} and t.team_id = any(${[...groupIds]}::uuid[])
    order by id`.execute(controlQueriesIn(connection))
  const members = new Map<string, GroupMember[]>(groupIds.map((id) => [id, []]))
  for (const { team_id, ...member } of rows) members.get(team_id)?.push(member)
  return members
}

/** The attributes of groups that filters can name. See docs/reference/scim.md (Filters). */
export const groupAttributes = ({ workspaceId, now }: GroupScope): FilterAttributes => ({
  displayname: { kind: 'folded text', column: sql`lower(g.name)` },
  externalid: { kind: 'exact text', column: sql`g.external_id` },
  id: {
    kind: 'own',
    compile: (operator, operand) => compileIdComparison(sql`g.id`, operator, operand, (id) => sql`${id}::uuid`),
  },
  members: { kind: 'same as', name: 'members.value' },
  'members.value': {
    kind: 'own',
    compile: (operator, operand) => {
      const ofMember = compileIdComparison(sql`p.person_id`, operator, operand, (id) => userIdOf(workspaceId, id))
      return sql`exists (
        select 1 from (
          select member_id as person_id from relata.team_members
          where workspace_id = ${workspaceId} and team_id = g.id
          union all
          select i.id from relata.team_invitations t
          join relata.invitations i on i.workspace_id = t.workspace_id and i.id = t.invitation_id
          where t.workspace_id = ${workspaceId} and t.team_id = g.id and i.expires_at > ${timestampFromMicros(now())}) p
        where ${ofMember})`
    },
  },
  'meta.created': { kind: 'time', column: sql`g.created_at` },
  'meta.lastmodified': { kind: 'time', column: sql`g.updated_at` },
})

/** Renders a group. See docs/reference/scim.md (Groups). */
export const GROUP_SCHEMA = `${CORE}Group`

/** `members` is undefined when they are not asked for. */
export const renderGroup = (
  group: TeamRow,
  location: string,
  members: readonly GroupMember[] | undefined,
): Record<string, unknown> => ({
  schemas: [GROUP_SCHEMA],
  id: group.id,
  ...(group.external_id === null ? {} : { externalId: group.external_id }),
  displayName: group.name,
  ...(members && { members: members.map(renderMember) }),
  meta: renderMeta('Group', group, location),
})

const renderMember = ({ id, display }: GroupMember) => ({ value: id, $ref: `/scim/v2/Users/${id}`, display })
