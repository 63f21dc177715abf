/** Many meetings in the first workspace, for tests of plans. */

import { listClient } from './lists'
import type { TestService } from './service'

/** The participant of half of the meetings. */
export const FREQUENT_PARTICIPANT = 'ada@example.com'

/**
 * Inserts meetings by SQL, one every quarter of an hour from 2024 on. A tenth of them are all day, some last for weeks, half
 * are linked to the returned person, and half have the participant above.
 */
export async function seedMeetings(service: TestService, count: number): Promise<{ readonly person: string }> {
  const { db, workspaceId } = service
  const person = await listClient(service).record()
  const [object] = await db.sql<{ id: string }[]>`
    select id from relata.entity_types where workspace_id = ${workspaceId} and api_slug = 'people'`
  await db.sql`
    insert into relata.meetings (workspace_id, id, title, description, is_all_day, starts_at, ends_at, duration_class, created_at, created_by)
    select ${workspaceId}, gen_random_uuid(), 'Meeting ' || n, '', n % 10 = 0, at, at + length,
      case when length > interval '1 day' then 1 else 0 end, at, 0
    from generate_series(1, ${count}::int) n, lateral (select
      case when n % 10 = 0 then date_trunc('day', timestamptz '2024-01-01' + n * interval '15 minutes')
        else timestamptz '2024-01-01' + n * interval '15 minutes' end as at,
      case when n % 10 = 0 then interval '1 day' when n % 100 = 1 then interval '10 days' else interval '30 minutes' end as length) t`
  await db.sql`
    insert into relata.meeting_links
    select workspace_id, id, ${object?.id ?? null}::uuid,
      case when row_number() over () % 2 = 0 then ${person}::uuid else gen_random_uuid() end, 1, created_at, 0, true,
      is_all_day, duration_class, starts_at, ends_at
    from relata.meetings`
  await db.sql`
    insert into relata.meeting_participants
    select workspace_id, id, 1,
      case when row_number() over () % 2 = 1 then ${FREQUENT_PARTICIPANT}::text else 'p' || row_number() over () || '@example.com' end,
      null, true, 'accepted', is_all_day, duration_class, starts_at, ends_at
    from relata.meetings`
  await db.sql.unsafe('analyze relata.meetings, relata.meeting_links, relata.meeting_participants')
  return { person }
}
