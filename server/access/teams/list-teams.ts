import { sql as expression, type Expression } from 'kysely'
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
export const listTeams = (sql: Sql | Transaction, workspaceId: string, now: Micros): Promise<TeamWithPeople[]> =>
  controlQueriesIn(sql)
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
          .innerJoin('relata.invitations as i', (join) =>
            join.onRef('i.workspace_id', '=', 'm.workspace_id').onRef('i.id', '=', 'm.invitation_id'),
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

const arrayOf = (query: Expression<unknown>) => expression<string[]>`array(${query})`

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
