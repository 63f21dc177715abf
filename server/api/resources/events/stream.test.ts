import { beforeAll, describe, expect, test } from 'bun:test'
import { updateKey } from '#access/tokens/api-keys'
import { createToken, revokeToken } from '#access/tokens/tokens'
import type { Scope } from '#vocabulary/scopes'
import { startEventPipeline } from '#testing/events'
import { listClient } from '#testing/lists'
import { messagesOf } from '#testing/messages'
import { endTokens } from '#testing/oauth'
import { useTestService } from '#testing/use-service'

const service = useTestService()
beforeAll(() => startEventPipeline(service))

const open = (query = '', headers: Record<string, string> = {}) =>
  service.app.handle(
    new Request(`http://localhost/v2/events/stream?${query}`, {
      headers: { Authorization: `Bearer ${service.key}`, ...headers },
    }),
  )
const record = async (): Promise<string> =>
  (await service.request('POST', '/v2/objects/people/records', { data: { values: {} } })).body.data.id.record_id
const recordOf = (data: string | undefined): string => JSON.parse(data ?? '').event.id.record_id

test('200 with events as they are published, and with those that a reconnecting client missed', async () => {
  const response = await open('event_type=record.created')
  expect(response.status).toBe(200)
  const messages = messagesOf(response)
  const first = await record()
  const received = await messages.next()
  expect([received.event, recordOf(received.data)]).toEqual(['event', first])
  expect(JSON.parse(received.data ?? '').cursor).toBe(received.id)
  await messages.close()

  const missed = [await record(), await record()]
  const back = messagesOf(await open('', { 'Last-Event-ID': received.id ?? '' }))
  expect([recordOf((await back.next()).data), recordOf((await back.next()).data)]).toEqual(missed)
  const next = await record()
  expect(recordOf((await back.next()).data)).toBe(next)
  await back.close()

  const again = messagesOf(await open(`cursor=${received.id}`))
  expect(recordOf((await again.next()).data)).toBe(missed[0] ?? '')
  await again.close()
})

test('the stream ends when the token is revoked, also when no events follow', async () => {
  const key = await service.keyWith(['webhook:read'])
  const messages = messagesOf(await open('', { Authorization: `Bearer ${key}` }))
  const [token] = await service.db.sql<[{ id: string }]>`
    select id from relata.tokens where workspace_id = ${service.workspaceId} order by created_at desc limit 1`
  await revokeToken(service.db, service.workspaceId, token.id, service.appContext.now())
  while ((await service.request('GET', '/v2/events', undefined, { key })).status !== 401);
  await record()
  expect(messages.next()).rejects.toThrow('The stream ended.')
})

describe('a stream whose API key gets other scopes', () => {
  const scopes: Scope[] = [
    'webhook:read',
    'record_permission:read',
    'object_configuration:read',
    'list_entry:read',
    'list_configuration:read',
    'private_collection:read',
  ]

  async function opened() {
    const { workspaceId, member, appContext, db } = service
    const input = { workspaceId, name: 'Key', scopes, authorizedBy: member.id, now: appContext.now() }
    const { id, token: key } = await createToken(db, input)
    const messages = messagesOf(await open('', { Authorization: `Bearer ${key}` }))
    const change = (next: readonly Scope[]) =>
      endTokens(service, () => updateKey(db, { workspaceId, id }, { scopes: next }, { actor: null }, appContext.now()))
    return { messages, change }
  }

  const eventOf = ({ data }: { readonly data: string }) => JSON.parse(data).event

  test('has no more events of private lists', async () => {
    const lists = listClient(service)
    const members = [{ workspace_member_id: service.member.id, level: 'full-access' }]
    const { messages, change } = await opened()
    const list = await lists.list({ workspace_access: null, workspace_member_access: members })
    expect(eventOf(await messages.next()).event_type).toBe('list.created')
    await change(scopes.filter((scope) => scope !== 'private_collection:read'))
    const person = await record()
    await lists.entry(list, person)
    const other = await record()
    expect(eventOf(await messages.next()).id.record_id).toBe(person)
    expect(eventOf(await messages.next()).id.record_id).toBe(other)
    await messages.close()
  })

  test('has no more events of records', async () => {
    const { messages, change } = await opened()
    await change(['webhook:read', 'list_configuration:read'])
    await record()
    await listClient(service).list()
    expect(eventOf(await messages.next()).event_type).toBe('list.created')
    await messages.close()
  })

  test('ends when the key has no scope to open it', async () => {
    const { messages, change } = await opened()
    await change(scopes.filter((scope) => scope !== 'webhook:read'))
    await record()
    expect(messages.next()).rejects.toThrow('The stream ended.')
  })
})

test('400 for the parameters, 401 without a token', async () => {
  expect((await open('cursor=x')).status).toBe(400)
  expect((await open('event_type=nothing')).status).toBe(400)
  expect((await open('', { 'Last-Event-ID': 'x' })).status).toBe(400)
  expect((await open('', { Authorization: '' })).status).toBe(401)
})
