/** Makes the meetings that workloads of meetings need: one for each person, in the service and in the floor. */

import type { Sql } from '#db/connect'
import { readPeopleTable } from './people-table'

/**
 * Inserts rows as the service does, spread over a thousand days. A tenth are all day, and a hundredth last ten days. Meetings of
 * an earlier run are kept.
 */
export async function makeMeetings(sql: Sql): Promise<void> {
  if ((await sql`select from relata.meetings limit 1`).length > 0) return
  const { table, column } = await readPeopleTable(sql)
  await sql.unsafe(`
    with made as (
      select p.id as person, gen_random_uuid() as id, row_number() over (order by p.created_at, p.id) as nth,
        count(*) over () as all_people
      from ${table} p
    ), timed as (
      select *, nth % 10 = 0 as is_all_day, timestamptz '2026-01-01' + nth * (interval '1000 days' / all_people) as at from made
    )
    insert into relata.meetings (workspace_id, id, title, description, is_all_day, starts_at, ends_at, duration_class,
      created_at, created_by)
    select w.id, t.id, t.person::text, '', is_all_day, s.starts_at,
      s.starts_at + case when is_all_day then interval '1 day' when nth % 100 = 1 then interval '10 days' else interval '1 hour' end,
      case when nth % 100 = 1 then 1 else 0 end, now(), 0
    from timed t, relata.workspaces w,
      lateral (select case when is_all_day then date_trunc('day', at) else at end as starts_at) s`)
  await sql`
    insert into relata.meeting_links
    select m.workspace_id, m.id, o.id, m.title::uuid, 1, m.created_at, 0, true, m.is_all_day, m.duration_class, m.starts_at,
      m.ends_at
    from relata.meetings m join relata.entity_types o on o.workspace_id = m.workspace_id and o.api_slug = 'people'`
  await sql.unsafe(`
    insert into relata.meeting_participants
    select m.workspace_id, m.id, 1, p.${column('email_addresses', 'email_address')}[1], 'Name', true, 'accepted', m.is_all_day, m.duration_class, m.starts_at,
      m.ends_at
    from relata.meetings m join ${table} p on p.id = m.title::uuid`)
  await sql.unsafe('analyze relata.meetings, relata.meeting_links, relata.meeting_participants')
}

/** The floor has one table, with one record for each meeting. */
export async function makeFloorMeetings(sql: Sql): Promise<void> {
  await sql.unsafe(`
    drop table if exists floor.meetings;
    create table floor.meetings as
      select m.id, m.title, m.starts_at, m.ends_at, m.created_at, m.created_by, l.record_id, p.email_address
      from relata.meetings m join relata.meeting_links l on l.workspace_id = m.workspace_id and l.meeting_id = m.id
      join relata.meeting_participants p on p.workspace_id = m.workspace_id and p.meeting_id = m.id;
    alter table floor.meetings add primary key (id);
    create index on floor.meetings (starts_at, id);
    create index on floor.meetings (record_id, starts_at, id);
    analyze floor.meetings;`)
}
