import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { teamNamedTwice, teamNotFound } from '#base/errors/access'
import { timestampFromMicros, type Micros } from '#base/timing/clock'

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
export async function listTeams(sql: Sql | Transaction, workspaceId: string, now: Micros): Promise<TeamWithPeople[]> {
  const rows = await sql<{ id: string; name: string; created_at: string; people: string }[]>`
    select id, name, created_at, json_build_object(
      'member_ids', array(
        select member_id from relata.team_members m where m.workspace_id = t.workspace_id and m.team_id = t.id),
      'invited', array(
        select i.email_address from relata.team_invitations m
        join relata.invitations i on i.workspace_id = m.workspace_id and i.id = m.invitation_id
        where m.workspace_id = t.workspace_id and m.team_id = t.id and i.expires_at > ${timestampFromMicros(now)}
        order by i.email_address)
    )::text as people
    from relata.teams t where workspace_id = ${workspaceId} order by lower(name)`
  return rows.map(({ people, ...team }) => ({
    ...team,
    ...(JSON.parse(people) as Pick<TeamWithPeople, 'member_ids' | 'invited'>), // as built above
  }))
}

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
