/**
 * The tables of the floor, designed by hand for these people only. Same columns, indexes and rows as the
 * service's, so that the two differ only in the programs before them.
 */

import { renderArray, type Sql } from '#db/connect'
import type { SeededPerson } from '../workloads/workload'

/** The numbers of the attributes in `uniq` and `history`. */
export const EMAIL_ADDRESSES = 1
export const JOB_TITLE = 2

/**
 * Copies the only workspace into the schema `floor`. With `isReadOnly`, the run writes nothing, so the copy of an earlier
 * read-only run is used if it has the same rows, columns and indexes.
 */
export async function makeFloor(sql: Sql, isReadOnly: boolean): Promise<void> {
  const [workspace] = await sql<{ id: string; schema: string }[]>`
    select id, format('w_%s', number) as schema from relata.workspaces`
  if (!workspace) throw new Error('There is no workspace.')
  const [people, companies, users] = [
    await tableOf(sql, workspace.id, 'people'),
    await tableOf(sql, workspace.id, 'companies'),
    await tableOf(sql, workspace.id, 'users'),
  ]
  const emails = people.attributes.find(({ api_slug }) => api_slug === 'email_addresses')?.number
  if (emails === undefined) throw new Error('People have no e-mail addresses.')

  const likeness = await likenessOf(sql, workspace.schema, [people, companies, users])
  const [made] = await sql<{ likeness: string | null }[]>`
    select obj_description(to_regnamespace('floor'), 'pg_namespace') as likeness`
  if (isReadOnly && made?.likeness === likeness) return
  await sql.unsafe(`drop schema if exists floor cascade; create schema floor;`)
  await sql.unsafe(copyOf(workspace.schema, 'people', people))
  await sql.unsafe(copyOf(workspace.schema, 'companies', companies))
  await sql.unsafe(copyOf(workspace.schema, 'users', users))
  await sql.unsafe(`
    create table floor.uniq (like ${workspace.schema}.uniques including all);
    insert into floor.uniq select ${EMAIL_ADDRESSES}, key, entity_id from ${workspace.schema}.uniques where attribute = ${emails};
    create table floor.history (like ${workspace.schema}.history including all);
    create table floor.actors as select number, type, id from relata.actors where workspace_id = '${workspace.id}';
    create table floor.options as select a.api_slug as attribute, o.* from relata.options o
      join relata.attributes a on a.workspace_id = o.workspace_id and a.id = o.attribute_id;
    comment on schema floor is '${isReadOnly ? likeness : ''}';`)
}

/** Returns a digest of the rows, indexes and columns that the floor copies. */
async function likenessOf(sql: Sql, schema: string, tables: readonly EntityTable[]): Promise<string> {
  const names = renderArray(tables.map(({ table }) => `${schema}.${table}`))
  const [found] = await sql<{ likeness: string }[]>`
    select md5(string_agg(line, ' ' order by line)) as likeness from (
      select indexdef as line from pg_indexes where schemaname || '.' || tablename = any(${names}::text[])
      union all
      select attrelid::regclass || attname from pg_attribute
      where attrelid = any(${names}::text[]::regclass[]) and attnum > 0 and not attisdropped
      union all
      select relation || pg_relation_size(relation)::text || (select n_tup_ins + n_tup_upd + n_tup_del from pg_stat_user_tables
        where relid = relation::regclass) from unnest(${names}::text[]) relation) lines`
  return found?.likeness ?? ''
}

/** Reads the people from the table of the service. */
export async function readPeople(sql: Sql): Promise<SeededPerson[]> {
  const [workspace] = await sql<{ id: string; schema: string }[]>`
    select id, format('w_%s', number) as schema from relata.workspaces`
  if (!workspace) throw new Error('There is no workspace.')
  const { table, attributes } = await tableOf(sql, workspace.id, 'people')
  const numberOf = (slug: string) => attributes.find(({ api_slug }) => api_slug === slug)?.number
  const people = await sql.unsafe<SeededPerson[]>(`
    select id, a_${numberOf('company')}_target_record_id as company, a_${numberOf('email_addresses')}_email_address[1] as email
    from ${workspace.schema}.${table} where a_${numberOf('email_addresses')}_email_address is not null order by created_at, id`)
  return [...people]
}

export interface EntityTable {
  /** The name without its schema: `o_7`, or `l_7` for a list. */
  readonly table: string
  readonly attributes: readonly { readonly number: number; readonly api_slug: string }[]
}

export async function tableOf(sql: Sql, workspaceId: string, slug: string): Promise<EntityTable> {
  const attributes = await sql<{ number: number; api_slug: string; owner: string }[]>`
    select a.number, a.api_slug, left(o.kind, 1) || '_' || o.number as owner from relata.attributes a
    join relata.entity_types o on o.workspace_id = a.workspace_id and o.id = a.entity_type_id
    where a.workspace_id = ${workspaceId} and o.api_slug = ${slug}`
  return { table: attributes[0]?.owner ?? '', attributes }
}

/**
 * The columns have readable names: `job_title_value` for `a_11_value`. Indexes are built after the rows are inserted, which
 * takes a tenth of the time. Search indexes are left out.
 */
export function copyOf(schema: string, name: string, { table, attributes }: EntityTable): string {
  const names = attributes.map(({ number, api_slug }) => `when '${number}' then '${api_slug}'`).join(' ')
  return `
    create table floor.${name} (like ${schema}.${table} including all excluding indexes) with (fillfactor = 85);
    insert into floor.${name} select * from ${schema}.${table} order by created_at, id;
    do $$ declare i record; c record; begin
      for i in select pg_get_indexdef(indexrelid) as made from pg_index
        where indrelid = '${schema}.${table}'::regclass and indexrelid::regclass::text not like '%\\_search\\_%' loop
        execute regexp_replace(i.made, 'INDEX .* ON [^ ]+', 'INDEX ON floor.${name}');
      end loop;
      for c in select column_name as old, regexp_match(column_name, '^a_(\\d+)_(.*)$') as parts
        from information_schema.columns where table_schema = 'floor' and table_name = '${name}' and column_name like 'a\\_%' loop
        execute format('alter table floor.${name} rename column %I to %I', c.old,
          concat_ws('_', case c.parts[1] ${names} end, c.parts[2]));
      end loop;
    end $$;`
}
