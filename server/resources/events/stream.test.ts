import { afterAll, beforeAll, expect, test } from 'bun:test'
import { runEvents, type RunningEvents } from '../../delivery/run-events'
import { revokeToken } from '../../access/tokens'
import { messagesOf } from '../../testing/messages'
import { testService, type TestService } from '../../testing/service'

let service: TestService
let events: RunningEvents
beforeAll(async () => {
  service = await testService()
  const { db, platform } = service
  const send = () => Promise.reject(new Error('There is no webhook.'))
  const options = { brand: 'relata', docsUrl: 'http://localhost', days: 30, perSecond: 0 }
  events = await runEvents({ db, now: platform.now, send, ...options })
  // They run upon the database that the platform brought.
  Object.assign(platform, { events })
})
afterAll(async () => {
  await events.stop()
  await service.close()
})

const open = (query = '', headers: Record<string, string> = {}) =>
  service.app.handle(
    new Request(`http://localhost/v2/events/stream?${query}`, {
      headers: { Authorization: `Bearer ${service.key}`, ...headers },
    }),
  )
const record = async (): Promise<string> =>
  (await service.request('POST', '/v2/objects/people/records', { data: { values: {} } })).body.data.id.record_id
const recordOf = (data: string | undefined): string => JSON.parse(data ?? '').event.id.record_id

test('what happens is told as it happens, and what was missed to those who come back', async () => {
  const response = await open('event_type=record.created')
  expect(response.status).toBe(200)
  const messages = messagesOf(response)
  const first = await record()
  const told = await messages.next()
  expect([told.event, recordOf(told.data)]).toEqual(['event', first])
  expect(JSON.parse(told.data ?? '').cursor).toBe(told.id)
  await messages.close()

  const missed = [await record(), await record()]
  const back = messagesOf(await open('', { 'Last-Event-ID': told.id ?? '' }))
  expect([recordOf((await back.next()).data), recordOf((await back.next()).data)]).toEqual(missed)
  const next = await record()
  expect(recordOf((await back.next()).data)).toBe(next)
  await back.close()

  const again = messagesOf(await open(`cursor=${told.id}`))
  expect(recordOf((await again.next()).data)).toBe(missed[0] ?? '')
  await again.close()
})

test('it ends when the token is revoked, also where it was caught up', async () => {
  const key = await service.keyWith(['webhook:read'])
  const messages = messagesOf(await open('', { Authorization: `Bearer ${key}` }))
  const [token] = await service.db.sql<[{ id: string }]>`
    select id from relata.tokens where workspace_id = ${service.workspaceId} order by created_at desc limit 1`
  await revokeToken(service.db, service.workspaceId, token.id, service.platform.now())
  while ((await service.request('GET', '/v2/events', undefined, { key })).status !== 401);
  await record()
  expect(messages.next()).rejects.toThrow('The stream ended.')
})

test('400 for the parameters, 401 without a token', async () => {
  expect((await open('cursor=x')).status).toBe(400)
  expect((await open('event_type=nothing')).status).toBe(400)
  expect((await open('', { 'Last-Event-ID': 'x' })).status).toBe(400)
  expect((await open('', { Authorization: '' })).status).toBe(401)
})
