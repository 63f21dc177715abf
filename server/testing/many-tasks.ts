/** Many tasks in the first workspace, for tests of plans. */

import { listClient } from './lists'
import type { TestService } from './service'

/**
 * Inserts tasks by SQL. A third of them are completed, half are linked to the returned person, half are assigned to the member,
 * a quarter to another actor, and a tenth have no deadline.
 */
export async function seedTasks(service: TestService, count: number): Promise<{ readonly person: string }> {
  const { db, workspaceId, member } = service
  const person = await listClient(service).record()
  const [object] = await db.sql<{ id: string }[]>`
    select id from relata.entity_types where workspace_id = ${workspaceId} and api_slug = 'people'`
  const [actor, other] = await db.sql<{ number: number }[]>`
    select number from relata.actors where workspace_id = ${workspaceId} order by id <> ${member.id}`
  await db.sql`
    insert into relata.tasks (workspace_id, id, content, deadline_at, is_completed, completed_at, completed_by, assignees,
      created_at, created_by)
    select ${workspaceId}, gen_random_uuid(), 'Task ' || n,
      case when n % 10 > 0 then timestamptz '2030-01-01' + (n * 7919 % ${count}::int) * interval '1 minute' end,
      n % 3 > 1, case when n % 3 > 1 then timestamptz '2025-01-01' + n * interval '1 second' end,
      case when n % 3 > 1 then 0 end,
      case when n % 4 < 2 then array[${actor?.number ?? 0}::int] when n % 4 = 2 then array[${other?.number ?? 0}::int] else '{}' end,
      timestamptz '2024-01-01' + n * interval '1 minute', 0
    from generate_series(1, ${count}::int) n`
  await db.sql`
    insert into relata.task_links
    select workspace_id, id, ${object?.id ?? null}::uuid,
      case when row_number() over () % 7 < 4 then ${person}::uuid else gen_random_uuid() end, 1, created_at, 0,
      is_completed, completed_at, deadline_at, assignees, created_at
    from relata.tasks`
  await db.sql`
    insert into relata.task_assignees
    select workspace_id, id, coalesce(assignees[1], 0), is_completed, completed_at, deadline_at, created_at
    from relata.tasks`
  await db.sql.unsafe('analyze relata.tasks, relata.task_links, relata.task_assignees')
  return { person }
}
