/** How much of a body each route reads for a request without credentials. */

import { describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'

const OPEN_LIMIT = 16_000
/** A test endpoint stores this much of a request and does not parse it. */
const RECEIVER_LIMIT = 256 * 1024
const CHUNK = 1000

const service = useTestService()

const isReceiver = (path: string) => path.startsWith('/hooks/')

const routes = () =>
  service.app.routes
    .filter(({ method }) => !['GET', 'HEAD', 'OPTIONS'].includes(method))
    .map(({ method, path }) => ({ method: method === 'ALL' ? 'POST' : method, path: path.replaceAll(/:\w+|\*/g, 'x') }))

/** An endless body that counts the bytes that were read from it. */
function endlessBody() {
  const body = { read: 0 }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        body.read += CHUNK
        controller.enqueue(new Uint8Array(CHUNK).fill(0x5b))
      },
    },
    { highWaterMark: 0 },
  )
  return { body, stream }
}

async function send(method: string, path: string) {
  const { body, stream } = endlessBody()
  const init = { method, body: stream, duplex: 'half' } as RequestInit // the types lack `duplex`
  const response = await service.app.handle(new Request(`http://localhost${path}`, init))
  return { status: response.status, read: body.read }
}

describe('a body sent without credentials', () => {
  test('is not read by a route that needs credentials, and read up to 16 kB by a route that needs none', async () => {
    expect(routes().length).toBeGreaterThan(60)
    const statuses = new Map<number, string[]>()
    for (const { method, path } of routes()) {
      const { status, read } = await send(method, path)
      statuses.set(status, [...(statuses.get(status) ?? []), `${method} ${path}`])
      const limit = isReceiver(path) ? RECEIVER_LIMIT : status === 413 ? OPEN_LIMIT : 0
      expect([method, path, status, read <= limit + 2 * CHUNK || read]).toEqual([method, path, status, true])
    }
    expect([...statuses.keys()].toSorted()).toEqual([200, 401, 404, 413])
    // These have no body.
    expect(statuses.get(200)).toEqual(['POST /console/api/sign-in/passkey-options'])
    expect(statuses.get(404)?.toSorted()).toEqual(['POST /console/api/sign-in/providers/x', 'POST /unsubscribe/x'])
    expect(statuses.get(413)?.toSorted()).toEqual([
      'POST /console/api/first-start',
      'POST /console/api/invitations/x/accept',
      'POST /console/api/password-resets',
      'POST /console/api/password-resets/x',
      'POST /console/api/sign-in',
      'POST /console/api/sign-in/passkey',
      'POST /console/api/sign-in/providers/x/response',
      'POST /console/api/sign-in/second-factor',
      'POST /console/api/sign-in/second-factor/passkey-options',
      'POST /hooks/x',
      'POST /hooks/x/x',
      'POST /oauth/introspect',
      'POST /oauth/register',
      'POST /oauth/revoke',
      'POST /oauth/token',
    ])
  })

  test('413 names the limit', async () => {
    const body = { email_address: 'a@b.dev', password: 'x'.repeat(OPEN_LIMIT) }
    const answer = await service.request('POST', '/console/api/sign-in', body, { key: null })
    expect([answer.status, answer.body.code]).toEqual([413, 'validation_type'])
    expect(answer.body.message).toBe('The body is larger than the 16 kB allowed.')
  })
})

describe('a body sent with credentials', () => {
  test('413 over 1 MB for a body without values, although the configured limit is larger', async () => {
    const filler = 'x'.repeat(1_000_000)
    const query = await service.request('POST', '/v2/objects/people/records/query', { filler })
    expect([query.status, query.body.message]).toEqual([413, 'The body is larger than the 1 MB allowed.'])
    const key = { headers: { 'Idempotency-Key': 'one' } }
    const object = await service.request('POST', '/v2/objects', { filler }, key)
    expect([object.status, object.body.code]).toEqual([413, 'validation_type'])
    const record = await service.request('POST', '/v2/objects/people/records', { data: { values: {} }, filler })
    expect(record.status).toBe(200)
  })

  test('400 with more values or members than a body may have', async () => {
    const values = `{"data":{"values":{}},"x":[${'1,'.repeat(200_000)}1]}`
    const members = `{"data":{"values":{}},"x":[${'{"a":1},'.repeat(50_000)}1]}`
    for (const [body, word] of [
      [values, '200000 values'],
      [members, '50000 members'],
    ]) {
      const answer = await service.request('POST', '/v2/objects/people/records', body)
      expect([answer.status, answer.body.code]).toEqual([400, 'validation_type'])
      expect(answer.body.message).toContain(`The body has more than ${word}`)
    }
  })
})
