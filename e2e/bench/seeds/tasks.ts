/** Makes the tasks that workloads of tasks need: one for each person, in the service and in the floor. */

import type { Sql } from '#db/connect'
import { ADMIN } from '../workloads/workload'
import { readPeopleTable } from './people-table'

/** Inserts rows as the service does. A fifth are completed, half are assigned to the admin. Tasks of an earlier run are kept. */
export async function makeTasks(sql: Sql): Promise<void> {
  if ((await sql`select from relata.tasks limit 1`).length > 0) return
  const { table } = await readPeopleTable(sql)
  await sql.unsafe(`
    with member as (
      select a.number from relata.workspace_members m
      join relata.actors a on a.workspace_id = m.workspace_id and a.id = m.id where m.email_address = '${ADMIN}'
    ), made as (
      select p.id as person, gen_random_uuid() as id, p.created_at, row_number() over (order by p.created_at, p.id) as nth
      from ${table} p
    )
    insert into relata.tasks (workspace_id, id, content, deadline_at, is_completed, completed_at, completed_by, assignees,
      created_at, created_by)
    select w.id, made.id, made.person::text, timestamptz '2030-01-01' + (nth * 7919 % 100000) * interval '1 minute', nth % 5 = 0,
      case when nth % 5 = 0 then made.created_at end, case when nth % 5 = 0 then 0 end,
      case when nth % 2 = 0 then array[member.number] else '{}' end, made.created_at, 0
    from made, member, relata.workspaces w`)
  await sql`
    insert into relata.task_links
    select t.workspace_id, t.id, o.id, t.content::uuid, 1, t.created_at, 0, t.is_completed, t.completed_at, t.deadline_at,
      t.assignees, t.created_at
    from relata.tasks t join relata.entity_types o on o.workspace_id = t.workspace_id and o.api_slug = 'people'`
  await sql`
    insert into relata.task_assignees
    select workspace_id, id, coalesce(assignees[1], 0), is_completed, completed_at, deadline_at, created_at
    from relata.tasks`
  await sql.unsafe('analyze relata.tasks, relata.task_links, relata.task_assignees')
}

/** The floor has one table, with one record and one assignee for each task. */
export async function makeFloorTasks(sql: Sql): Promise<void> {
  await sql.unsafe(`
    drop table if exists floor.tasks;
    create table floor.tasks as
      select t.id, t.content, t.deadline_at, t.completed_at, t.created_at, t.created_by, l.record_id, t.assignees[1] as assignee
      from relata.tasks t join relata.task_links l on l.workspace_id = t.workspace_id and l.task_id = t.id;
    alter table floor.tasks add primary key (id);
    create index on floor.tasks (assignee, deadline_at, created_at, id) where completed_at is null;
    create index on floor.tasks (record_id, created_at, id);
    analyze floor.tasks;`)
}
