/** Makes 10,000 users and 500 groups, each with about 60 of them and one with all. */

import type { Sql } from '#db/connect'

const USERS = 10_000
const GROUPS = 500
const COMMON = 20

export interface Directory {
  readonly users: readonly string[]
  readonly groups: readonly string[]
  /** The id of the group with all users. */
  readonly largest: string
}

export async function seedDirectory(sql: Sql): Promise<Directory> {
  const [workspace] = await sql<{ id: string; schema: string }[]>`
    select id, format('w_%s', number) as schema from relata.workspaces`
  if (workspace === undefined) throw new Error('The service has made no workspace.')
  const { id, schema } = workspace
  await sql`
    insert into relata.domains (workspace_id, id, domain, proof, created_at, verified_at)
    values (${id}, gen_random_uuid(), 'bench.example', '', now(), now())`
  await sql`
    insert into relata.workspace_members
      (workspace_id, id, first_name, last_name, email_address, access_level, external_id, created_at)
    select ${id}, gen_random_uuid(), 'First ' || n, 'Last ' || n, 'user-' || n || '@bench.example', 'member',
      'external-' || n, now() + n * interval '1 millisecond'
    from generate_series(0, ${USERS - 1}) n`
  await sql`
    insert into relata.actors (workspace_id, number, type, id)
    select m.workspace_id, w.last_number + row_number() over (), 'workspace-member', m.id
    from relata.workspace_members m join relata.workspaces w on w.id = m.workspace_id where m.external_id is not null`
  await sql`
    update relata.workspaces set last_number = last_number + ${USERS}, data_model_version = data_model_version + 1
    where id = ${id}`
  await sql.unsafe(`update ${schema}.model set version = version + 1`)
  await sql`
    insert into relata.teams (workspace_id, id, name, created_at, updated_at)
    select ${id}, gen_random_uuid(), 'Group ' || n, now() + n * interval '1 millisecond', now()
    from generate_series(0, ${GROUPS - 1}) n`
  await sql`
    insert into relata.team_members (workspace_id, team_id, member_id)
    select ${id}, t.id, m.id
    from (select id, row_number() over (order by created_at) as n from relata.teams) t
    join (select id, row_number() over (order by created_at) as n from relata.workspace_members where external_id is not null) m
      on t.n = 1 or m.n % ${GROUPS} = t.n % ${GROUPS} or (m.n * 7) % ${GROUPS} = t.n or m.n <= ${COMMON}`
  await sql`analyze relata.workspace_members, relata.teams, relata.team_members`
  await sql`select pg_notify('relata_data_model', ${id})`
  const users = await sql<{ id: string }[]>`select id from relata.workspace_members where external_id is not null`
  const groups = await sql<{ id: string }[]>`select id from relata.teams order by created_at`
  return { users: users.map((row) => row.id), groups: groups.map((row) => row.id), largest: groups[0]?.id ?? '' }
}
