import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { useTestService } from '#testing/use-service'

const service = useTestService()

const PATH = '/v2/test_endpoints'

async function endpoint(data: object = {}) {
  const { status, body } = await service.request('POST', PATH, { data })
  expect(status).toBe(200)
  return body.data
}

/** Sends a request without credentials to the URL of an endpoint. */
const send = (url: string, init: RequestInit = { method: 'POST', body: 'x' }) =>
  service.app.handle(new Request(url.replace('http://localhost:8080', 'http://localhost'), init))

const received = async (id: string) => (await service.request('GET', `${PATH}/${id}/requests`)).body.data

describe('/v2/test_endpoints', () => {
  test('200 with a URL and the configured response', async () => {
    const made = await endpoint()
    expect(made).toMatchObject({
      name: 'Test endpoint',
      url: expect.stringMatching(/^http:\/\/localhost:8080\/hooks\/[0-9a-f]{32}$/),
      status: 200,
      headers: {},
      body: '',
      delay_ms: 0,
      fail_first: 0,
      received: 0,
    })
    const path = `${PATH}/${made.test_endpoint_id}`
    expect((await service.request('GET', path)).body.data).toEqual(made)
    expect((await service.request('GET', PATH)).body.data).toContainEqual(made)
    const data = { name: 'Mine', status: 418, headers: { 'X-Test-Tea': 'yes' }, body: 'short', fail_first: 1 }
    const changed = await service.request('PATCH', path, { data })
    expect(changed.body.data).toEqual({ ...made, ...data })
  })

  test.each([
    { status: 99 },
    { status: 600 },
    { delay_ms: 10_001 },
    { fail_first: -1 },
    { headers: { 'bad name': 'x' } },
    { headers: { a: 'x\ny' } },
    { body: 'x'.repeat(65_537) },
    { expires_in_days: 31 },
    { name: ' ' },
  ])('400 for %p', async (data) => {
    expect((await service.request('POST', PATH, { data })).status).toBe(400)
  })

  test.each([
    { NEL: '{"report_to":"x","max_age":1}' },
    { 'Report-To': '{}' },
    { 'Reporting-Endpoints': 'x="https://evil.example"' },
    { 'Alt-Svc': 'h2="evil.example:443"' },
    { 'WWW-Authenticate': 'Basic' },
    { 'Content-Disposition': 'attachment' },
    { 'Set-Cookie': 'a=b' },
    { 'Content-Security-Policy': 'default-src *' },
    { 'Service-Worker-Allowed': '/' },
    { 'X-Accel-Redirect': '/etc/passwd' },
    { 'Content-Type': 'text/javascript' },
    { 'Content-Type': 'text/css; charset=utf-8' },
  ])('400 for the header %p', async (headers) => {
    const { test_endpoint_id } = await endpoint()
    for (const [method, path] of [
      ['POST', PATH],
      ['PATCH', `${PATH}/${test_endpoint_id}`],
    ] as const) {
      const { status, body } = await service.request(method, path, { data: { headers } })
      expect([status, body.validation_errors[0].path]).toEqual([400, ['data', 'headers']])
    }
  })

  test('404 for an endpoint of another workspace and for a deleted one; 400 for an id that is not a UUID', async () => {
    const { test_endpoint_id, url } = await endpoint()
    const { key } = await service.anotherWorkspace()
    const path = `${PATH}/${test_endpoint_id}`
    expect((await service.request('GET', path, undefined, { key })).status).toBe(404)
    expect((await service.request('GET', `${PATH}/first`)).status).toBe(400)
    expect((await service.request('DELETE', path)).body).toEqual({})
    for (const gone of ['', '/requests', '/stream']) {
      expect((await service.request('GET', `${path}${gone}`)).status).toBe(404)
    }
    expect((await send(url)).status).toBe(404)
  })

  test('404 for an expired endpoint', async () => {
    const { test_endpoint_id, url } = await endpoint({ expires_in_days: 1 })
    await service.db.sql`update relata.test_endpoints set expires_at = now() where id = ${test_endpoint_id}`
    expect((await service.request('GET', `${PATH}/${test_endpoint_id}`)).status).toBe(404)
    expect((await send(url)).status).toBe(404)
  })
})

describe('/hooks/{token}', () => {
  test('accepts and stores any method, path and query', async () => {
    const { test_endpoint_id, url } = await endpoint()
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const body = method === 'GET' ? null : `of ${method}`
      expect((await send(`${url}/deep/er?x=1`, { method, body, headers: { 'X-Mine': method } })).status).toBe(200)
    }
    const requests = await received(test_endpoint_id)
    expect(requests.map(({ method }: { method: string }) => method)).toEqual(['DELETE', 'PATCH', 'PUT', 'POST', 'GET'])
    expect(requests[1]).toMatchObject({ path: '/deep/er?x=1', body: 'of PATCH', signature: 'absent', webhook_id: null })
    expect(requests[1].headers['x-mine']).toBe('PATCH')
    const first = await service.request('GET', `${PATH}/${test_endpoint_id}/requests?limit=3`)
    const { next_cursor } = first.body.pagination
    const rest = await service.request('GET', `${PATH}/${test_endpoint_id}/requests?limit=3&cursor=${next_cursor}`)
    expect([...first.body.data, ...rest.body.data]).toEqual(requests)
  })

  test('sends the configured response after the configured number of failures', async () => {
    const { url } = await endpoint({ status: 202, headers: { 'X-Test-Told': 'yes' }, body: 'thanks', fail_first: 2 })
    const statuses = [(await send(url)).status, (await send(url)).status]
    expect(statuses).toEqual([500, 500])
    const answer = await send(url)
    expect([answer.status, await answer.text(), answer.headers.get('x-test-told')]).toEqual([202, 'thanks', 'yes'])
  })

  test('sends no header or content type that a browser would act on', async () => {
    const { url, test_endpoint_id } = await endpoint({ body: '<script>alert(1)</script>' })
    const headers = { 'Content-Type': 'text/html', 'Set-Cookie': 'a=b', Location: 'https://evil.example', NEL: '{}' }
    // An older version may have stored such headers.
    await service.db.sql`
      update relata.test_endpoints set headers = ${JSON.stringify(headers)}::text::jsonb where id = ${test_endpoint_id}`
    const answer = await send(url)
    expect(answer.headers.get('content-type')).toBe('text/html')
    expect(answer.headers.get('nel')).toBeNull()
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(answer.headers.get('location')).toBeNull()
  })

  test('reports whether the webhook that the body names signed the request', async () => {
    const { test_endpoint_id, url } = await endpoint()
    const created = await service.request('POST', '/v2/webhooks', {
      data: { target_url: 'https://example.com/', subscriptions: [{ event_type: 'list.created', filter: null }] },
    })
    const { id, secret } = created.body.data
    const body = JSON.stringify({ webhook_id: id.webhook_id, events: [{}] })
    const sign = (key: string) => createHmac('sha256', key).update(body).digest('hex')
    await send(url, { method: 'POST', body, headers: { 'Relata-Signature': sign(secret) } })
    await send(url, { method: 'POST', body, headers: { 'Relata-Signature': sign('x') } })
    const notAscii = await send(url, { method: 'POST', body, headers: { 'Relata-Signature': 'é'.repeat(64) } })
    expect(notAscii.status).toBe(200)
    await send(url, { method: 'POST', body })
    const found = (await received(test_endpoint_id)).map(({ signature }: { signature: string }) => signature)
    expect(found).toEqual(['absent', 'invalid', 'invalid', 'valid'])
  })

  test('413 for a large body, 404 for an unknown endpoint; stores text that PostgreSQL cannot hold', async () => {
    const { test_endpoint_id, url } = await endpoint()
    expect((await send(url, { method: 'POST', body: 'x'.repeat(262_145) })).status).toBe(413)
    expect((await send('http://localhost:8080/hooks/none')).status).toBe(404)
    expect((await send(`${url}/a%00b?c=%00`, { method: 'POST', body: 'a\u0000b' })).status).toBe(200)
    expect((await received(test_endpoint_id))[0].body).toBe('a\uFFFDb')
  })

  test('stores a body that is not text unchanged', async () => {
    const { test_endpoint_id, url } = await endpoint()
    const bytes = Uint8Array.from({ length: 300 }, (_, at) => at % 256)
    const bodies: (string | Uint8Array<ArrayBuffer>)[] = ['{"a":"ü€"}', '\uFEFFwith a mark', bytes, '']
    for (const body of bodies) await send(url, { method: 'POST', body })
    const kept = (await received(test_endpoint_id)).toReversed()
    expect(kept.map(({ body_base64 }: { body_base64: string | null }) => body_base64)).toEqual([
      null,
      null,
      bytes.toBase64(),
      null,
    ])
    expect(kept[1].body).toBe('\uFEFFwith a mark')
  })
})

describe('paths that are not valid Unicode', () => {
  test.each(['%00', '%ff', '%zz', '%00/x', 'x%00/%ff'])('404 at /hooks/%s', async (path) => {
    expect((await send(`http://localhost:8080/hooks/${path}`)).status).toBe(404)
  })

  test.each(['/%00', '/a%00b/%ff', '/%zz', '/?x=%00', '/%ED%A0%80'])('200 below an endpoint: %s', async (rest) => {
    const { url, test_endpoint_id } = await endpoint()
    expect((await send(`${url}${rest}`)).status).toBe(200)
    const [{ path }] = await received(test_endpoint_id)
    expect(path).not.toContain('\0')
  })
})
