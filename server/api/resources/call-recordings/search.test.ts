/** See docs/reference/call-recordings.md (Search). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { callRecordingClient, recordingIdOf, segment } from '#testing/call-recordings'
import { meetingClient } from '#testing/meetings'
import { useTestService } from '#testing/use-service'
import { atOnce } from '#base/timing/in-slices'
import { collectWords } from './transcript/transcript'

const service = useTestService()
const recordings = callRecordingClient(service)
let meeting: string
beforeAll(async () => {
  meeting = await meetingClient(service).meeting()
})

const recordingOf = (...speeches: string[]) =>
  recordings.recording(meeting, { transcript: speeches.map((speech, at) => segment(at, 'Ada Lovelace', speech)) })

const find = async (query: string, more: Record<string, string> = {}) => {
  const { status, body } = await recordings.search({ query, ...more })
  expect(status).toBe(200)
  return body.data.map(recordingIdOf)
}

describe('GET /v2/call_recordings', () => {
  test('200 with the recordings of all meetings, the newest first, in pages', async () => {
    const other = await meetingClient(service).meeting()
    const ids = [await recordingOf('a'), await recordings.recording(other), await recordingOf('b')].toReversed()
    const first = (await recordings.search({ limit: '2' })).body
    const second = (await recordings.search({ limit: '2', cursor: first.pagination.next_cursor })).body
    expect([...first.data, ...second.data].map(recordingIdOf).slice(0, 3)).toEqual(ids)
  })

  test('200 with the recordings whose transcript has all words, in any segment, case and form', async () => {
    const one = await recordingOf('The Quarterly budget.', 'We pay for Zürich')
    const two = await recordingOf('budget of ZURICH, quarterly')
    await recordingOf('budget only')
    expect(await find('quarterly zurich')).toEqual([two, one])
    expect(await find('zür QUART bud')).toEqual([two, one])
    expect(await find('quarterly rome')).toEqual([])
    expect(await find('lovelace zurich')).toEqual([two, one])
    expect(await find('zurich', { limit: '1' })).toEqual([two])
    const { next_cursor } = (await recordings.search({ query: 'zurich', limit: '1' })).body.pagination
    expect(await find('zurich', { limit: '1', cursor: next_cursor })).toEqual([one])
    expect((await recordings.search({ query: 'budget', limit: '1', cursor: next_cursor })).status).toBe(400)
  })

  test('200 with nothing for a query without words, and for words with signs of the query language', async () => {
    await recordingOf("it's a & b | c ! d <-> e: * ' \\ \"")
    expect(await find('  ')).toEqual([])
    for (const query of ["'", '&', '\\', ':*', "' or 'x", '!x', '(']) expect(await find(query)).toEqual([])
    expect(await find("it's")).toHaveLength(1)
  })

  test('200 with nothing of another workspace and of deleted recordings', async () => {
    const id = await recordingOf('hippopotamus')
    const { key } = await service.anotherWorkspace()
    expect((await recordings.search({ query: 'hippopotamus' }, { key })).body.data).toEqual([])
    expect(await find(service.workspaceId.slice(0, 8))).toEqual([])
    await recordings.remove(meeting, id)
    expect(await find('hippopotamus')).toEqual([])
  })

  test('400 for a query of more than 256 characters, 403 without a scope', async () => {
    expect((await recordings.search({ query: 'x'.repeat(257) })).status).toBe(400)
    const key = await service.keyWith(['meeting:read'])
    expect((await recordings.search({}, { key })).status).toBe(403)
  })

  test('200 for transcripts whose words PostgreSQL could not store, with as many of the words as it can', async () => {
    const wordsAt = (at: number) => Array.from({ length: 1400 }, (_, index) => `𐐨${(1400 * at + index).toString(36)}`)
    const id = await recordings.recording(meeting, {
      transcript: Array.from({ length: 100 }, (_, at) => segment(at, 'A', wordsAt(at).join(' ').slice(0, 9900))),
    })
    expect(await find('𐐨1')).toContain(id)
  })
})

test.each([
  ['each word once, of names and speech', [segment(0, 'Ada', 'a b A.')], ['ada', 'a', 'b']],
  ['no words of signs', [segment(0, '-', '?! …')], []],
])('collectWords: %s', (_, segments, words) => expect(atOnce(collectWords(segments))).toEqual(words))
