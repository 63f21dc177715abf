/** Lists of call recordings read ranges of indexes in their order, a search the index of words. See docs/reference/call-recordings.md (Lists). */

import { beforeAll, expect, test } from 'bun:test'
import { meetingClient } from '#testing/meetings'
import { plansOf } from '#testing/plans'
import { useTestService } from '#testing/use-service'

const RECORDINGS = 8_000

const service = useTestService()
let meeting: string
beforeAll(async () => {
  meeting = await meetingClient(service).meeting()
  const other = await meetingClient(service).meeting()
  const { db, workspaceId } = service
  // Every fortieth recording is of the meeting, and every five-hundredth has the rare word.
  await db.sql`
    insert into relata.call_recordings (workspace_id, id, meeting_id, status, created_at, created_by)
    select ${workspaceId}, gen_random_uuid(), case when n % 40 = 0 then ${meeting}::uuid else ${other}::uuid end, 'completed',
      timestamptz '2024-01-01' + n * interval '1 minute', 0
    from generate_series(1, ${RECORDINGS}::int) n`
  await db.sql`
    insert into relata.call_recording_transcripts (workspace_id, call_recording_id, raw_transcript, lexemes)
    select workspace_id, id, '', array_to_tsvector(array[':' || workspace_id, 'common'] || case
      when extract(epoch from created_at)::bigint / 60 % 500 = 0 then array['rare'] else '{}' end)
    from relata.call_recordings`
  await db.sql`analyze relata.call_recordings, relata.call_recording_transcripts`
})

const LISTS: readonly (readonly [string, () => string, RegExp])[] = [
  ['a meeting', () => `/v2/meetings/${meeting}/call_recordings?limit=5`, /call_recordings_of_meeting/],
  ['all meetings', () => '/v2/call_recordings?limit=5', /call_recordings_created/],
  ['a rare word', () => '/v2/call_recordings?query=rare&limit=5', /call_recording_transcripts_lexemes/],
]

test.each(LISTS)('a page of %s', async (_name, pathOf, index) => {
  const first = await service.request('GET', pathOf())
  expect([first.status, first.body.data.length]).toEqual([200, 5])
  for (const cursor of ['', `&cursor=${encodeURIComponent(first.body.pagination.next_cursor)}`]) {
    const plans = await plansOf(service, () => service.request('GET', pathOf() + cursor))
    const plan = plans.find((each) => each.includes('on call_recordings')) ?? ''
    expect(plan).toMatch(index)
    expect(plan).not.toContain('Seq Scan')
    // The matches of a word are sorted.
    if (!pathOf().includes('query')) expect(plan).not.toContain('Sort')
  }
})
