/** Makes the call recordings whose transcripts a workload reads, in the service and in the floor. */

import type { Sql } from '#db/connect'
import { LAST_NAMES } from '../data/words'
import { MEETING_PREFIX, RECORDINGS } from '../workloads/recordings'
import { makeMeetings } from './meetings'

/** The second page of a transcript has this many segments less than the first one. */
const [PAGE_SIZE, SEGMENTS] = [1000, 1200]

const SPEAKERS = ['Ada Lovelace', 'Grace Hopper'] as const

const segments = Array.from({ length: SEGMENTS }, (_, nth) => ({
  speech: `We discussed the offer of ${LAST_NAMES[nth % LAST_NAMES.length]} and agreed on the next steps, number ${nth}.`,
  start_time: nth * 3,
  end_time: nth * 3 + 2.5,
  speaker: { name: SPEAKERS[nth % 2] },
}))

const RAW = segments.map(({ speech, speaker }, nth) => `[${clock(nth * 3)}] ${speaker.name}: ${speech}`).join('\n')

function clock(seconds: number): string {
  return [Math.floor(seconds / 60), seconds % 60].map((part) => String(part).padStart(2, '0')).join(':')
}

/** Inserts recordings as the service does, one for each meeting. It keeps recordings that an earlier run inserted. */
export async function makeRecordings(sql: Sql): Promise<void> {
  // `makeMeetings` makes none when there are some.
  await makeMeetings(sql)
  if ((await sql`select from relata.call_recordings limit 1`).length > 0) return
  await sql`
    insert into relata.meetings (workspace_id, id, title, description, is_all_day, starts_at, ends_at, duration_class,
      created_at, created_by)
    select w.id, (${MEETING_PREFIX} || lpad(nth::text, 12, '0'))::uuid, 'Call', '', false, timestamptz '2020-01-01',
      timestamptz '2020-01-01 01:00', 0, now(), 0
    from relata.workspaces w, generate_series(1, ${RECORDINGS}::int) nth`
  await sql`
    insert into relata.call_recordings (workspace_id, id, meeting_id, status, created_at, created_by)
    select workspace_id, id, id, 'completed', created_at, 0 from relata.meetings
    where id::text like ${`${MEETING_PREFIX}%`}`
  await sql`
    insert into relata.call_recording_transcripts (workspace_id, call_recording_id, raw_transcript, lexemes)
    select workspace_id, id, ${RAW}, array_to_tsvector(array[':' || workspace_id, 'offer', 'steps'])
    from relata.call_recordings`
  for (let page = 0; page * PAGE_SIZE < SEGMENTS; page++) {
    const text = JSON.stringify(segments.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE))
    await sql`
      insert into relata.call_recording_transcript_pages (workspace_id, call_recording_id, page, segments)
      select workspace_id, id, ${page}, ${text}::text::json from relata.call_recordings`
  }
  await sql.unsafe(
    'analyze relata.call_recordings, relata.call_recording_transcripts, relata.call_recording_transcript_pages',
  )
}

/** The floor stores the first page with the rest of the answer. */
export async function makeFloorRecordings(sql: Sql): Promise<void> {
  await sql.unsafe(`
    drop table if exists floor.transcripts;
    create table floor.transcripts as
      select r.id, r.meeting_id, t.raw_transcript, p.segments
      from relata.call_recordings r
      join relata.call_recording_transcripts t on t.workspace_id = r.workspace_id and t.call_recording_id = r.id
      join relata.call_recording_transcript_pages p on p.workspace_id = r.workspace_id and p.call_recording_id = r.id and p.page = 0;
    alter table floor.transcripts add primary key (id);
    analyze floor.transcripts;`)
}
