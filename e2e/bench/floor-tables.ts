/**
 * The tables of the floor: what somebody would make by hand for these people alone. Same columns, indexes and rows as the
 * service's, so that the two differ only in the programs before them.
 */

import type { Sql } from '../../db/connect'

/** What `uniq` and `history` call the attributes. */
export const EMAIL_ADDRESSES = 1
export const JOB_TITLE = 2

/** Copies the only workspace into the schema `floor`. */
export async function makeFloor(sql: Sql): Promise<void> {
  const [workspace] = await sql<{ id: string; schema: string }[]>`
    select id, format('w_%s', number) as schema from relata.workspaces`
  if (!workspace) throw new Error('There is no workspace.')
  const people = await tableOf(sql, workspace.id, 'people')
  const users = await tableOf(sql, workspace.id, 'users')
  const emails = people.attributes.find(({ api_slug }) => api_slug === 'email_addresses')?.number
  if (emails === undefined) throw new Error('People have no e-mail addresses.')

  await sql.unsafe(`drop schema if exists floor cascade; create schema floor;`)
  await sql.unsafe(copyOf(workspace.schema, 'people', people))
  await sql.unsafe(copyOf(workspace.schema, 'users', users))
  await sql.unsafe(`
    create table floor.uniq (like ${workspace.schema}.uniques including all);
    insert into floor.uniq select ${EMAIL_ADDRESSES}, key, holder_id from ${workspace.schema}.uniques where attribute = ${emails};
    create table floor.history (like ${workspace.schema}.history including all);
    create table floor.actors as select number, type, id from relata.actors where workspace_id = '${workspace.id}';`)
}

interface ObjectTable {
  readonly table: string
  readonly attributes: readonly { readonly number: number; readonly api_slug: string }[]
}

async function tableOf(sql: Sql, workspaceId: string, slug: string): Promise<ObjectTable> {
  const attributes = await sql<{ number: number; api_slug: string; owner: number }[]>`
    select a.number, a.api_slug, o.number as owner from relata.attributes a
    join relata.owners o on o.workspace_id = a.workspace_id and o.id = a.owner_id
    where a.workspace_id = ${workspaceId} and o.api_slug = ${slug}`
  return { table: `o_${attributes[0]?.owner}`, attributes }
}

/** With columns named by people: `job_title_value` for `a_11_value`. */
function copyOf(schema: string, name: string, { table, attributes }: ObjectTable): string {
  const names = attributes.map(({ number, api_slug }) => `when '${number}' then '${api_slug}'`).join(' ')
  return `
    create table floor.${name} (like ${schema}.${table} including all) with (fillfactor = 85);
    insert into floor.${name} select * from ${schema}.${table} order by created_at, id;
    do $$ declare c record; begin
      for c in select column_name as old, regexp_match(column_name, '^a_(\\d+)_(.*)$') as parts
        from information_schema.columns where table_schema = 'floor' and table_name = '${name}' and column_name like 'a\\_%' loop
        execute format('alter table floor.${name} rename column %I to %I', c.old,
          concat_ws('_', case c.parts[1] ${names} end, c.parts[2]));
      end loop;
    end $$;`
}
