import { beforeAll, expect, test } from 'bun:test'
import { startEventPipeline } from '#testing/events'
import { listClient } from '#testing/lists'
import { type Messages, messagesOf } from '#testing/messages'
import { signedIn } from '#testing/people'
import { until } from '#testing/until'
import { useTestService } from '#testing/use-service'

const service = useTestService()
/** The receiver responds after this promise resolves. */
let held: Promise<void> | undefined
beforeAll(async () => {
  const answer = { headers: {}, body: '', problem: undefined, duration: 1, address: '93.184.216.34' }
  await startEventPipeline(service, async () => {
    await held
    return { status: 204, ...answer }
  })
})

/** Reads the messages of a stream, one at a time. */
async function nextAttempted(messages: Messages) {
  for (;;) {
    const { event, data } = await messages.next()
    expect(event).toBe('delivery')
    const delivery = JSON.parse(data)
    if (delivery.status !== 'waiting') return delivery
  }
}

const open = (path: string, headers: Record<string, string> = {}) =>
  service.app.handle(
    new Request(`http://localhost${path}`, { headers: { Authorization: `Bearer ${service.key}`, ...headers } }),
  )

async function webhook(): Promise<string> {
  const data = { target_url: `https://example.com/${crypto.randomUUID()}`, subscriptions }
  return (await service.request('POST', '/v2/webhooks', { data })).body.data.id.webhook_id
}

const subscriptions = [{ event_type: 'list.created', filter: null }]

test('200 with a delivery when it is created and when it was attempted, and again after a reconnect', async () => {
  const id = await webhook()
  const response = await open(`/v2/webhooks/${id}/stream`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  const messages = messagesOf(response)
  const path = `/v2/webhooks/${id}/test`
  const sent = await service.request('POST', path, { data: { event_type: 'list.created' } })
  const delivery = await nextAttempted(messages)
  expect(delivery.delivery_id).toBe(sent.body.data.delivery_id)
  expect([delivery.status, delivery.attempts[0].status_code]).toEqual(['succeeded', 204])
  await messages.close()

  const back = messagesOf(await open(`/v2/webhooks/${id}/stream`, { 'Last-Event-ID': 'any' }))
  expect(JSON.parse((await back.next()).data)).toEqual(delivery)
  await back.close()
})

test('200 with a delivery when an event causes it, before its receiver has responded', async () => {
  const id = await webhook()
  const messages = messagesOf(await open(`/v2/webhooks/${id}/stream`))
  const { promise, resolve } = Promise.withResolvers<void>()
  held = promise
  const list = { name: 'A', api_slug: 'a', parent_object: 'people', workspace_access: 'full-access' }
  const made = await service.request('POST', '/v2/lists', { data: { ...list, workspace_member_access: [] } })
  expect(made.status).toBe(200)
  const waiting = JSON.parse((await messages.next()).data)
  expect([waiting.status, waiting.attempts]).toEqual(['waiting', []])
  resolve()
  const sent = await nextAttempted(messages)
  expect([sent.delivery_id, sent.status]).toEqual([waiting.delivery_id, 'succeeded'])
  await messages.close()
})

test('the stream of a member at the console ends when the member signs out', async () => {
  const person = await signedIn(service)
  const id = await webhook()
  const headers = { ...person.headers, 'X-Workspace': service.workspaceId, Authorization: '' }
  const messages = messagesOf(await open(`/console/v2/webhooks/${id}/stream`, headers))
  const send = () => service.request('POST', `/v2/webhooks/${id}/test`, { data: { event_type: 'list.created' } })
  await send()
  const { delivery_id } = await nextAttempted(messages)
  await person.ask('POST', '/console/api/sign-out')
  await send()
  // The first delivery may still arrive; the second one does not.
  await expect(
    (async () => {
      for (;;) expect((await nextAttempted(messages)).delivery_id).toBe(delivery_id)
    })(),
  ).rejects.toThrow('The stream ended.')
})

test('a member who is no admin any more gets no more deliveries of private lists', async () => {
  const person = await signedIn(service)
  const id = await webhook()
  const headers = { ...person.headers, 'X-Workspace': service.workspaceId, Authorization: '' }
  const messages = messagesOf(await open(`/console/v2/webhooks/${id}/stream`, headers))
  const lists = listClient(service)
  const workspace_member_access = [{ workspace_member_id: service.member.id, level: 'full-access' }]
  const makePrivate = () => lists.list({ workspace_access: null, workspace_member_access })
  await makePrivate()
  const seen = await nextAttempted(messages)
  await service.db.sql`
    update relata.workspace_members set access_level = 'member' where id = ${person.memberIds[service.workspaceId] ?? ''}`
  await makePrivate()
  await lists.list()
  const ofWebhook = async () => (await service.request('GET', `/v2/webhooks/${id}/deliveries`)).body.data
  let next = await nextAttempted(messages)
  // Messages of the first delivery may still arrive.
  while (next.delivery_id === seen.delivery_id) next = await nextAttempted(messages)
  expect((await ofWebhook()).map(({ delivery_id }: { delivery_id: string }) => delivery_id)).toEqual([
    next.delivery_id,
    expect.any(String),
    seen.delivery_id,
  ])
  await messages.close()
})

test('a member who is no admin any more gets none of the repeated deliveries of private lists either', async () => {
  const person = await signedIn(service)
  const id = await webhook()
  const lists = listClient(service)
  const workspace_member_access = [{ workspace_member_id: service.member.id, level: 'full-access' }]
  for (let count = 0; count < 20; count++) await lists.list({ workspace_access: null, workspace_member_access })
  const path = `/v2/webhooks/${id}/deliveries`
  const listed = async (): Promise<{ delivery_id: string; status: string }[]> =>
    (await service.request('GET', path)).body.data
  await until(async () => (await listed()).filter(({ status }) => status === 'succeeded').length === 20)
  const headers = { ...person.headers, 'X-Workspace': service.workspaceId, Authorization: '', 'Last-Event-ID': 'any' }
  const messages = messagesOf(await open(`/console/v2/webhooks/${id}/stream`, headers))
  const privateOnes = (await listed()).map(({ delivery_id }) => delivery_id)
  expect((await nextAttempted(messages)).delivery_id).toBe(privateOnes.at(-1))
  await service.db.sql`
    update relata.workspace_members set access_level = 'member' where id = ${person.memberIds[service.workspaceId] ?? ''}`
  await lists.list()
  const received: string[] = []
  let next = await nextAttempted(messages)
  for (; privateOnes.includes(next.delivery_id); next = await nextAttempted(messages)) received.push(next.delivery_id)
  // The second ones may have been on their way.
  expect(received).not.toContain(privateOnes[0])
  await messages.close()
})

test('404 for a webhook of another client, 401 without a token', async () => {
  const other = await service.anotherWorkspace()
  const path = `/v2/webhooks/${await webhook()}/stream`
  expect((await open(path, { Authorization: `Bearer ${other.key}` })).status).toBe(404)
  expect((await open(path, { Authorization: '' })).status).toBe(401)
})
