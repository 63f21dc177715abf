/** Makes the two lists for the workloads of entries, in the service through its API and in the floor by copying. */

import type { Sql } from '#db/connect'
import type { Side } from '../measure/measure'
import { ask } from '../measure/probe'
import { copyOf, tableOf, type EntityTable } from '../floor/tables'
import { EMPTY_LIST, FULL_LIST, STAGES } from '../workloads/entries'

const ATTRIBUTES = [
  { api_slug: 'stage', type: 'status', config: {} },
  {
    api_slug: 'worth',
    type: 'currency',
    config: { currency: { default_currency_code: 'USD', display_type: 'symbol' } },
  },
  { api_slug: 'note', type: 'text', config: {} },
]

/** Uses the lists of an earlier run, and deletes what that run wrote to the empty one. */
export async function makeLists(sql: Sql, service: Side): Promise<void> {
  const isThere = async (slug: string) =>
    (await sql`select from relata.entity_types where kind = 'list' and api_slug = ${slug}`).length > 0
  if (await isThere(EMPTY_LIST)) await ask({ method: 'DELETE', path: `/v2/lists/${EMPTY_LIST}` }, service)
  await makeList(EMPTY_LIST, service)
  if (!(await isThere(FULL_LIST))) {
    await makeList(FULL_LIST, service)
    await fill(sql, await workspaceOf(sql))
  }
}

async function makeList(api_slug: string, service: Side): Promise<void> {
  const post = (path: string, data: object) =>
    ask({ method: 'POST', path: `/v2/lists${path}`, body: { data } }, service)
  const access = { workspace_access: 'full-access', workspace_member_access: [] }
  await post('', { name: api_slug, api_slug, parent_object: 'people', ...access })
  const plain = { description: null, is_required: false, is_unique: false, is_multiselect: false }
  for (const attribute of ATTRIBUTES) {
    await post(`/${api_slug}/attributes`, { title: attribute.api_slug, ...plain, ...attribute })
  }
  for (const title of STAGES) await post(`/${api_slug}/attributes/stage/statuses`, { title })
}

interface Workspace {
  readonly id: string
  readonly schema: string
}

async function workspaceOf(sql: Sql): Promise<Workspace> {
  const [workspace] = await sql<Workspace[]>`select id, format('w_%s', number) as schema from relata.workspaces`
  if (!workspace) throw new Error('There is no workspace.')
  return workspace
}

/** Inserts an entry for every person in the form of the service, because 200,000 requests would take too long. */
async function fill(sql: Sql, { id, schema }: Workspace): Promise<void> {
  const [list, people] = [await tableOf(sql, id, FULL_LIST), await tableOf(sql, id, 'people')]
  const column = (slug: string, member: string) => `a_${numberOf(list, slug)}_${member}`
  await sql.unsafe(`
    insert into ${schema}.${list.table} (id, parent_object, parent_record_id, created_at, created_by, updated_at,
      updated_by, ${column('stage', 'status')}, ${column('worth', 'currency_value')}, ${column('note', 'value')})
    select gen_random_uuid(), ${people.table.slice('o_'.length)}, p.id, p.created_at, p.created_by, p.created_at,
      p.created_by, stages.numbers[1 + p.nth * 7 % ${STAGES.length}], p.nth * 7919 % 50000, 'Met at stand ' || p.nth
    from (select id, created_at, created_by, row_number() over (order by created_at, id) as nth
      from ${schema}.${people.table}) p,
      (select array_agg(o.number order by o.position) as numbers from relata.options o
       join relata.attributes a on a.workspace_id = o.workspace_id and a.id = o.attribute_id
       where a.number = ${numberOf(list, 'stage')}) stages`)
}

function numberOf({ attributes }: EntityTable, slug: string): number {
  const found = attributes.find(({ api_slug }) => api_slug === slug)
  if (!found) throw new Error(`There is no attribute "${slug}".`)
  return found.number
}

/**
 * In the floor, a constraint ensures that no person is in a list twice. The floor of an earlier run may lack these lists and
 * their options.
 */
export async function makeFloorLists(sql: Sql): Promise<void> {
  const { id, schema } = await workspaceOf(sql)
  for (const slug of [FULL_LIST, EMPTY_LIST]) {
    await sql.unsafe(`drop table if exists floor.${slug}`)
    await sql.unsafe(copyOf(schema, slug, await tableOf(sql, id, slug)))
    await sql.unsafe(`
      create unique index on floor.${slug} (parent_record_id);
      analyze floor.${slug}; analyze ${schema}.${(await tableOf(sql, id, slug)).table};`)
  }
  await sql`drop table if exists floor.stages`
  await sql`create table floor.stages as
    select w.api_slug as list, o.* from relata.options o
    join relata.attributes a on a.workspace_id = o.workspace_id and a.id = o.attribute_id
    join relata.entity_types w on w.workspace_id = a.workspace_id and w.id = a.entity_type_id
    where w.kind = 'list'`
  await sql`insert into floor.options
    select a.api_slug as attribute, o.* from relata.options o
    join relata.attributes a on a.workspace_id = o.workspace_id and a.id = o.attribute_id
    where not exists (select from floor.options f where f.id = o.id)`
}
