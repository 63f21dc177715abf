import type { Sql, Transaction } from '../../../db/connect'

export interface TeamWithPeople {
  readonly id: string
  readonly name: string
  /** As PostgreSQL prints it. */
  readonly created_at: string
  readonly member_ids: readonly string[]
  /** The email addresses of invited people. */
  readonly invited: readonly string[]
}

/** Returns all teams in the order of their names. */
export async function listTeams(sql: Sql | Transaction, workspaceId: string): Promise<TeamWithPeople[]> {
  const rows = await sql<{ id: string; name: string; created_at: string; people: string }[]>`
    select id, name, created_at, json_build_object(
      'member_ids', array(
        select member_id from relata.team_members m where m.workspace_id = t.workspace_id and m.team_id = t.id),
      'invited', array(
        select i.email_address from relata.team_invitations m
        join relata.invitations i on i.workspace_id = m.workspace_id and i.id = m.invitation_id
        where m.workspace_id = t.workspace_id and m.team_id = t.id order by i.email_address)
    )::text as people
    from relata.teams t where workspace_id = ${workspaceId} order by lower(name)`
  return rows.map(({ people, ...team }) => ({
    ...team,
    ...(JSON.parse(people) as Pick<TeamWithPeople, 'member_ids' | 'invited'>), // as built above
  }))
}
