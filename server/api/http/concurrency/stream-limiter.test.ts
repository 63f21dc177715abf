import { beforeAll, describe, expect, mock, test } from 'bun:test'
import { EventStream, type StreamMessage, streamResponse } from '#api/http/response/event-stream'
import { READ_WRITE_SCOPES } from '#vocabulary/scopes'
import { startEventPipeline } from '#testing/events'
import { useTestService } from '#testing/use-service'
import { createStreamLimiter } from './request-limiter'

const service = useTestService({}, () => ({ streams: createStreamLimiter({ ofCaller: 2, ofWorkspace: 3 }) }))
beforeAll(() => startEventPipeline(service))

const open = (key: string, path = '/v2/events/stream') =>
  service.app.handle(new Request(`http://localhost${path}`, { headers: { Authorization: `Bearer ${key}` } }))

async function openEach(keys: readonly string[]): Promise<Response[]> {
  const responses = []
  for (const key of keys) responses.push(await open(key))
  return responses
}

const statuses = (responses: readonly Response[]) => responses.map(({ status }) => status)

async function close(...responses: Response[]): Promise<void> {
  for (const { status, body } of responses) if (status === 200) await body?.cancel()
}

describe('GET /v2/events/stream', () => {
  test('429 for a caller with too many streams, also of other routes, until one is closed', async () => {
    const { key } = service
    const [first, second, refused] = (await openEach([key, key, key])) as [Response, Response, Response]
    expect(statuses([first, second, refused])).toEqual([200, 200, 429])
    expect(refused.headers.get('Retry-After')).toMatch(/ GMT$/)
    expect(await refused.json()).toEqual({
      status_code: 429,
      type: 'rate_limit_error',
      code: 'rate_limit_exceeded',
      message: 'This caller has 2 open event streams, and may have no more; close one of them.',
    })
    const data = { target_url: 'https://example.com', subscriptions: [{ event_type: 'list.created', filter: null }] }
    const webhook = (await service.request('POST', '/v2/webhooks', { data })).body.data.id.webhook_id
    expect((await open(key, `/v2/webhooks/${webhook}/stream`)).status).toBe(429)
    await close(first)
    const again = await open(key, `/v2/webhooks/${webhook}/stream`)
    expect(again.status).toBe(200)
    await close(second, again)
  })

  test('429 for a workspace with too many streams, and 200 for another one', async () => {
    const other = await service.anotherWorkspace()
    const keys = [service.key, service.key, await service.keyWith(READ_WRITE_SCOPES)]
    const responses = await openEach([...keys, await service.keyWith(READ_WRITE_SCOPES), other.key])
    expect(statuses(responses)).toEqual([200, 200, 200, 429, 200])
    expect(await responses[3]?.json()).toMatchObject({
      message: 'This workspace has 3 open event streams, and may have no more; close one of them.',
    })
    await close(...responses)
    const after = await openEach(keys)
    expect(statuses(after)).toEqual([200, 200, 200])
    await close(...after)
  })
})

test('a stream that fails has ended', async () => {
  const onEnd = mock(() => {})
  async function* failing(): AsyncGenerator<StreamMessage> {
    yield await Promise.reject<StreamMessage>(new Error('It failed.'))
  }
  const response = streamResponse(new EventStream(failing), {}, async () => undefined, { onEnd })
  await expect(response.text()).rejects.toThrow('It failed.')
  expect(onEnd).toHaveBeenCalledTimes(1)
})
