/** See docs/reference/call-recordings.md. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { callRecordingClient, manySegments, recordingIdOf, segment } from '#testing/call-recordings'
import { meetingClient } from '#testing/meetings'
import { useTestService } from '#testing/use-service'

const ABSENT = '11111111-1111-4111-8111-111111111111'
const ID = /^[0-9a-f]{8}-/

const service = useTestService()
const recordings = callRecordingClient(service)
let meeting: string
beforeAll(async () => {
  meeting = await meetingClient(service).meeting()
})

const newMeeting = () => meetingClient(service).meeting()

describe('POST /v2/meetings/{meeting_id}/call_recordings', () => {
  test('200 completed at once for a transcript, with its event by the creator', async () => {
    await service.events()
    const { status, body } = await recordings.create(meeting.toUpperCase(), { transcript: [segment(0)], other: 1 })
    expect(status).toBe(200)
    const { call_recording_id } = body.data.id
    expect(body.data).toEqual({
      id: { workspace_id: service.workspaceId, meeting_id: meeting, call_recording_id: expect.stringMatching(ID) },
      status: 'completed',
      web_url: `http://localhost:8080/workspace-1/meetings/${meeting}?recording=${call_recording_id}`,
      created_by_actor: { type: 'api-token', id: expect.stringMatching(ID) },
      created_at: expect.any(String),
    })
    expect(await service.events()).toEqual([
      {
        event_type: 'call-recording.created',
        id: { workspace_id: service.workspaceId, meeting_id: meeting, call_recording_id },
        actor: body.data.created_by_actor,
      },
    ])
  })

  const longSpeech = 'x'.repeat(10_000)
  const changed = (change: object) => [{ ...segment(0), ...change }]
  const refusals: readonly (readonly [name: string, data: unknown, path: (string | number)[]])[] = [
    ['neither a video nor a transcript', {}, ['data']],
    ['no data', undefined, ['data']],
    ['a transcript of null', { transcript: null }, ['data', 'transcript']],
    ['4,001 segments', { transcript: manySegments(4001) }, ['data', 'transcript']],
    [
      'more than 1,000,000 characters',
      { transcript: manySegments(101).map((each) => ({ ...each, speech: longSpeech })) },
      ['data', 'transcript'],
    ],
    [
      'speech of 10,001 characters',
      { transcript: changed({ speech: `${longSpeech}x` }) },
      ['data', 'transcript', 0, 'speech'],
    ],
    ['no speech', { transcript: changed({ speech: undefined }) }, ['data', 'transcript', 0, 'speech']],
    ['a negative time', { transcript: changed({ start_time: -1 }) }, ['data', 'transcript', 0, 'start_time']],
    ['a time as text', { transcript: changed({ end_time: '1' }) }, ['data', 'transcript', 0, 'end_time']],
    ['no name', { transcript: changed({ speaker: {} }) }, ['data', 'transcript', 0, 'speaker', 'name']],
    [
      'an address that is none',
      { transcript: changed({ speaker: { name: 'A', email_address: 'x' } }) },
      ['data', 'transcript', 0, 'speaker', 'email_address'],
    ],
    ['NUL in speech', { transcript: changed({ speech: 'a\0' }) }, ['data', 'transcript', 0, 'speech']],
    ['a number as URL', { video_url: 5 }, ['data', 'video_url']],
    ['a text that is no URL', { video_url: 'video.mp4' }, ['data', 'video_url']],
    ['a URL of another file', { video_url: 'https://example.com/video.mov' }, ['data', 'video_url']],
    ['a URL with credentials', { video_url: 'https://a:b@example.com/video.mp4' }, ['data', 'video_url']],
    ['a URL of another protocol', { video_url: 'file:///etc/video.mp4' }, ['data', 'video_url']],
    ['a URL of 2,049 characters', { video_url: `https://example.com/${'x'.repeat(2025)}.mp4` }, ['data', 'video_url']],
  ]
  test.each(refusals)('400 for %s', async (_, data, path) => {
    const { status, body } = await recordings.create(meeting, data)
    expect([status, body.code, body.validation_errors?.[0]?.path]).toEqual([400, 'validation_type', path])
  })

  test('404 for a meeting that does not exist or is of another workspace, 400 for what is no id', async () => {
    const other = await service.anotherWorkspace()
    const foreign = await recordings.create(meeting, { transcript: [] }, { key: other.key })
    const absent = await recordings.create(ABSENT, { transcript: [] })
    expect([foreign, absent].map(({ status, body }) => [status, body.code])).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
    ])
    expect((await recordings.create('weekly', { transcript: [] })).status).toBe(400)
  })

  test('403 without one of the scopes', async () => {
    for (const scopes of [['meeting:read', 'call_recording:read'], ['call_recording:read-write']] as const) {
      const key = await service.keyWith(scopes)
      expect((await recordings.create(meeting, { transcript: [] }, { key })).status).toBe(403)
    }
  })
})

describe('GET …/call_recordings', () => {
  test('200 with the oldest first, in pages', async () => {
    const own = await newMeeting()
    const ids: string[] = []
    for (let count = 0; count < 5; count++) ids.push(await recordings.recording(own))
    const found: string[] = []
    for (let cursor = ''; ;) {
      const { body } = await recordings.list(own, `?limit=2${cursor}`)
      found.push(...body.data.map(recordingIdOf))
      expect(body.data[0].transcript).toBeUndefined()
      if (body.pagination.next_cursor === null) break
      cursor = `&cursor=${body.pagination.next_cursor}`
    }
    expect(found).toEqual(ids)
    expect((await recordings.list(own)).body.pagination).toEqual({ next_cursor: null })
  })

  test('400 for a cursor of another meeting and for wrong limits; 404 for a meeting of another workspace', async () => {
    const [own, other] = [await newMeeting(), await newMeeting()]
    for (let count = 0; count < 2; count++) await recordings.recording(own)
    const { next_cursor } = (await recordings.list(own, '?limit=1')).body.pagination
    for (const query of [`?limit=1&cursor=${next_cursor}`, '?limit=0', '?limit=201', '?cursor=', '?cursor=x']) {
      expect([query, (await recordings.list(other, query)).status]).toEqual([query, 400])
    }
    const { key } = await service.anotherWorkspace()
    expect((await recordings.list(own, '', { key })).status).toBe(404)
  })
})

describe('GET …/call_recordings/{call_recording_id}', () => {
  test('200 with the segments as sent and the raw transcript', async () => {
    const transcript = [
      { ...segment(1.5, 'Ada', 'Hallo "Welt" 🎉\n\\'), speaker: { name: 'Ada', email_address: 'ada@relata.dev' } },
      { ...segment(61, 'Bob', 'Yes'), end_time: 60 },
    ]
    const id = await recordings.recording(meeting, { transcript: transcript.map((each) => ({ ...each, more: [1] })) })
    const { body } = await recordings.get(meeting, id)
    expect(body.data.video_url).toBeNull()
    expect(body.data.transcript).toEqual({
      segments: transcript,
      raw_transcript: '[00:01] Ada: Hallo "Welt" 🎉 \\\n[01:01] Bob: Yes',
    })
  })

  test('200 with an empty transcript', async () => {
    const id = await recordings.recording(meeting, { transcript: [] })
    expect((await recordings.get(meeting, id)).body.data.transcript).toEqual({ segments: [], raw_transcript: '' })
  })

  test('404 for a recording of another meeting or workspace, 400 for what is no id', async () => {
    const id = await recordings.recording(meeting)
    const { key } = await service.anotherWorkspace()
    const answers = [
      await recordings.get(await newMeeting(), id),
      await recordings.get(meeting, ABSENT),
      await recordings.get(meeting, id, { key }),
      await recordings.get(meeting, 'first'),
      await recordings.transcript(meeting, ABSENT),
      await recordings.transcript(meeting, id, '', { key }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 400, 404, 404])
    expect(answers[1]?.body.message).toContain(`with ID "${ABSENT}" was not found`)
  })
})

describe('GET …/transcript', () => {
  test('200 in pages of 1,000 segments, with the raw transcript whole on each', async () => {
    const transcript = manySegments(2001)
    const id = await recordings.recording(meeting, { transcript })
    const pages: unknown[][] = []
    let query = ''
    for (let raw: string | undefined; ;) {
      const { status, body } = await recordings.transcript(meeting, id, query)
      expect([status, body.data.id.call_recording_id]).toEqual([200, id])
      raw ??= body.data.raw_transcript
      expect(body.data.raw_transcript).toBe(raw)
      expect(raw?.split('\n')).toHaveLength(2001)
      pages.push(body.data.transcript)
      if (body.pagination.next_cursor === null) break
      query = `?cursor=${body.pagination.next_cursor}`
    }
    expect(pages.map(({ length }) => length)).toEqual([1000, 1000, 1])
    expect(pages.flat()).toEqual(transcript)
    expect((await recordings.get(meeting, id)).body.data.transcript.segments).toEqual(transcript)
  })

  test('400 for a cursor of another transcript', async () => {
    const [one, other] = [
      await recordings.recording(meeting, { transcript: manySegments(1001) }),
      await recordings.recording(meeting),
    ]
    const { next_cursor } = (await recordings.transcript(meeting, one)).body.pagination
    expect((await recordings.transcript(meeting, other, `?cursor=${next_cursor}`)).status).toBe(400)
  })
})

describe('DELETE …/call_recordings/{call_recording_id}', () => {
  test('204 without a body; then 404; nothing is left', async () => {
    const id = await recordings.recording(meeting)
    const { status, body } = await recordings.remove(meeting, id)
    expect([status, body]).toEqual([204, ''])
    expect((await recordings.remove(meeting, id)).status).toBe(404)
    expect((await recordings.get(meeting, id)).status).toBe(404)
    expect(await rowsOf(id)).toBe(0)
  })

  test('204 once for two requests at a time', async () => {
    const id = await recordings.recording(meeting)
    const answers = await Promise.all([recordings.remove(meeting, id), recordings.remove(meeting, id)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404])
  })

  test('404 for a recording of another meeting, which stays', async () => {
    const id = await recordings.recording(meeting)
    expect((await recordings.remove(await newMeeting(), id)).status).toBe(404)
    expect((await recordings.get(meeting, id)).status).toBe(200)
  })
})

test('deleting a meeting deletes its recordings', async () => {
  const own = await newMeeting()
  const id = await recordings.recording(own)
  expect((await meetingClient(service).remove(own)).status).toBe(200)
  expect((await recordings.get(own, id)).status).toBe(404)
  expect(await rowsOf(id)).toBe(0)
})

async function rowsOf(id: string): Promise<number> {
  const [row] = await service.db.sql<{ count: number }[]>`
    select (select count(*) from relata.call_recordings where id = ${id})
      + (select count(*) from relata.call_recording_transcripts where call_recording_id = ${id})
      + (select count(*) from relata.call_recording_transcript_pages where call_recording_id = ${id}) as count`
  return Number(row?.count)
}
