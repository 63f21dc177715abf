/** Makes the threads that a workload reads: one with three comments on each person, in the service's tables and in the floor's. */

import type { Sql } from '#db/connect'
import { readPeopleTable } from './people-table'

/** Threads of an earlier run are kept. SQL inserts them, because requests would only take longer. */
export async function makeThreads(sql: Sql): Promise<void> {
  if ((await sql`select from relata.threads limit 1`).length > 0) return
  const { table } = await readPeopleTable(sql)
  await sql.unsafe(`
    insert into relata.threads (workspace_id, id, object_id, record_id, created_at)
    select o.workspace_id, gen_random_uuid(), o.id, p.id, p.created_at
    from ${table} p, relata.entity_types o where o.kind = 'object' and o.api_slug = 'people'`)
  await sql`
    insert into relata.comments (workspace_id, id, thread_id, record_id, author_id, content, created_at)
    select t.workspace_id, gen_random_uuid(), t.id, t.record_id, m.id,
      jsonb_build_array('Called about stand ' || nth || ', and asked ', jsonb_build_object('member', m.id), ' to write.'),
      t.created_at + nth * interval '1 minute'
    from relata.threads t, generate_series(0, 2) nth,
      (select id, workspace_id from relata.workspace_members order by created_at limit 1) m
    where m.workspace_id = t.workspace_id`
}

/** The floor stores the text with the address in it. */
export async function makeFloorThreads(sql: Sql): Promise<void> {
  await sql`drop table if exists floor.threads, floor.comments`
  await sql`create table floor.threads as select id, object_id, record_id, created_at from relata.threads`
  await sql`create table floor.comments as
    select c.id, c.thread_id, c.author_id, c.created_at,
      (c.content->>0) || m.email_address || (c.content->>2) as content
    from relata.comments c
    join relata.workspace_members m on m.workspace_id = c.workspace_id and m.id = c.author_id`
  await sql.unsafe(`
    create index on floor.threads (record_id, created_at);
    create index on floor.comments (thread_id, created_at);
    analyze floor.threads; analyze floor.comments; analyze relata.threads; analyze relata.comments;`)
}
