/** The change events of call recordings in the feed and for webhooks. See docs/reference/call-recordings.md (Events). */

import { beforeAll, expect, test } from 'bun:test'
import type { Scope } from '#vocabulary/scopes'
import { callRecordingClient } from '#testing/call-recordings'
import { meetingClient } from '#testing/meetings'
import { publishAll } from '#testing/events'
import { useTestService } from '#testing/use-service'
import { matchEvents } from '#events/webhooks/match/match-events'

const service = useTestService()
const recordings = callRecordingClient(service)
let meeting: string
let other: string
beforeAll(async () => {
  meeting = await meetingClient(service).meeting()
  other = await meetingClient(service).meeting()
})

const NEEDED: readonly Scope[] = ['webhook:read-write', 'meeting:read', 'call_recording:read']

const subscribe = async (filter: object | null, key = service.key) => {
  const data = {
    target_url: `https://example.com/${crypto.randomUUID()}`,
    subscriptions: [{ event_type: 'call-recording.created', filter }],
  }
  return service.request('POST', '/v2/webhooks', { data }, { key })
}

const equals = (field: string, value: string) => ({ $and: [{ field, operator: 'equals', value }] })

/** Creates a recording of each meeting, and returns the number of deliveries of the webhook. */
async function deliveriesOf(webhook: string): Promise<number> {
  for (const each of [meeting, other]) await recordings.recording(each)
  await publishAll(service, matchEvents)
  const rows = await service.db.sql`select 1 from relata.deliveries where webhook_id = ${webhook}`
  return rows.length
}

test.each([
  ['all', null, 2],
  ['those of a meeting', 'id.meeting_id', 1],
  ['those of other recordings', 'id.call_recording_id', 0],
] as const)('a webhook gets %s by its filter', async (_, field, count) => {
  const { body } = await subscribe(field === null ? null : equals(field, meeting))
  expect(await deliveriesOf(body.data.id.webhook_id)).toBe(count)
})

test('400 for a filter on a member that the event lacks', async () => {
  expect((await subscribe(equals('id.record_id', meeting))).status).toBe(400)
})

test('a webhook and the feed have the event only with the scopes to read meetings and recordings', async () => {
  for (const missing of [undefined, 'meeting:read', 'call_recording:read']) {
    const key = await service.keyWith(NEEDED.filter((scope) => scope !== missing))
    const { body } = await subscribe(null, key)
    const count = await deliveriesOf(body.data.id.webhook_id)
    const feed = await service.request('GET', '/v2/events?limit=1000', undefined, { key })
    const types = feed.body.data.map(({ event }: { event: { event_type: string } }) => event.event_type)
    const isSeen = types.includes('call-recording.created')
    expect([missing, count, isSeen]).toEqual([missing, missing === undefined ? 2 : 0, missing === undefined])
  }
})

test('a test delivery names the newest recording', async () => {
  const call_recording_id = await recordings.recording(meeting)
  const { body } = await subscribe(equals('id.meeting_id', other))
  const sent = { data: { event_type: 'call-recording.created' } }
  const { delivery_id } = (await service.request('POST', `/v2/webhooks/${body.data.id.webhook_id}/test`, sent)).body
    .data
  const [row] = await service.db.sql<{ body: string }[]>`select body from relata.deliveries where id = ${delivery_id}`
  expect(JSON.parse(row?.body ?? '').events[0].id).toMatchObject({ meeting_id: meeting, call_recording_id })
})

test('a retry with the same idempotency key creates one recording and one event', async () => {
  const own = await meetingClient(service).meeting()
  await service.events()
  const headers = { 'Idempotency-Key': 'recording' }
  const create = () => recordings.create(own, { transcript: [] }, { headers })
  const [first, second] = [await create(), await create()]
  expect([first.status, second.body]).toEqual([200, first.body])
  expect([(await recordings.list(own)).body.data.length, (await service.events()).length]).toEqual([1, 1])
  const id = first.body.data.id.call_recording_id
  const remove = () => recordings.remove(own, id, { headers })
  const answers = [await remove(), await remove()]
  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [204, ''],
    [204, ''],
  ])
})
