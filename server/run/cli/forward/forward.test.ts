import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Server } from 'bun'
import { startEventPipeline } from '#testing/events'
import { testService, type TestService } from '#testing/service'
import { runCommandLine } from '#run/cli/run'
import { addressOf } from './command'

let service: TestService
let server: Server<undefined>
beforeAll(async () => {
  service = await testService()
  const sent = { status: 200, headers: {}, body: '', problem: undefined, duration: 1, address: '' }
  await startEventPipeline(service, async () => sent)
  server = serve(0)
})
afterAll(async () => {
  await server.stop(true)
  await service.close()
})

const serve = (port: number) =>
  Bun.serve({ port, hostname: '127.0.0.1', idleTimeout: 0, fetch: (request) => service.app.handle(request) })

interface Heard {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body: Uint8Array
}

/** Starts a receiver on this machine. `answer` is its status. */
function receiver() {
  const heard: Heard[] = []
  let received = () => {}
  const listening = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const { method, headers } = request
      heard.push({ method, path: pathname + search, headers, body: await request.bytes() })
      received()
      if (pathname.includes('endless')) return new Response(endless(), { status: 500 })
      return pathname.includes('fail') ? new Response('not \u001B[31mnow', { status: 503 }) : new Response('ok')
    },
  })
  return {
    url: `http://127.0.0.1:${listening.port}`,
    heard,
    async until(count: number): Promise<readonly Heard[]> {
      while (heard.length < count) {
        const { promise, resolve } = Promise.withResolvers<void>()
        received = resolve
        await promise
      }
      return heard
    },
    stop: () => listening.stop(true),
  }
}

/** A body that sends text and never ends. */
const endless = () => new ReadableStream({ start: (controller) => controller.enqueue('again and '.repeat(100)) })

/** Starts a command line that runs until it is stopped. */
function relata(...words: string[]) {
  const lines: string[] = []
  const stopping = new AbortController()
  let received = () => {}
  const print = (line: string) => {
    lines.push(line)
    received()
  }
  const env = { RELATA_BASE_URL: `http://127.0.0.1:${server.port}` }
  const ended = runCommandLine(words, env, { print, printError: print, signal: stopping.signal })
  return {
    lines,
    ended,
    async until(pattern: RegExp): Promise<string> {
      for (;;) {
        const found = lines.find((line) => pattern.test(line))
        if (found !== undefined) return found
        const { promise, resolve } = Promise.withResolvers<void>()
        received = resolve
        await promise
      }
    },
    async stop(): Promise<number> {
      stopping.abort()
      return ended
    },
  }
}

let endpoint: { test_endpoint_id: string; url: string }
let local: ReturnType<typeof receiver>
let command: ReturnType<typeof relata>
beforeEach(async () => {
  endpoint = (await service.request('POST', '/v2/test_endpoints', { data: {} })).body.data
})

const forward = (to: string, key = service.key, id = endpoint.test_endpoint_id) =>
  relata('webhooks', 'forward', '--endpoint', id, '--to', to, '--key', key)

const send = async (path: string, init: RequestInit = { method: 'POST', body: 'x' }) => {
  const { pathname } = new URL(endpoint.url)
  expect((await service.app.handle(new Request(`http://localhost${pathname}${path}`, init))).status).toBe(200)
}

describe('relata webhooks forward', () => {
  test('forwards requests unchanged, and prints the responses', async () => {
    await send('', { method: 'POST', body: 'before' })
    local = receiver()
    command = forward(`${local.url}/hooks?a=1`)
    await command.until(/^What comes to .* Ctrl-C ends it\.$/)
    const bytes = Uint8Array.from({ length: 256 }, (_, at) => at)
    const event = '{"webhook_id":"x","events":[{"event_type":"record.created","x":"ü"}]}'
    await send('', { method: 'POST', body: event, headers: { 'Relata-Signature': 'abc', Connection: 'close' } })
    await send('/deep/er?b=2', { method: 'PUT', body: bytes })
    await send('/fail', { method: 'GET' })
    const heard = await local.until(3)
    expect(heard.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /hooks?a=1',
      'PUT /hooks/deep/er?a=1&b=2',
      'GET /hooks/fail?a=1',
    ])
    expect(new TextDecoder().decode(heard[0]?.body)).toBe(event)
    expect(heard[0]?.headers.get('relata-signature')).toBe('abc')
    expect(heard[1]?.body).toEqual(bytes)
    expect(await command.until(/record\.created/)).toMatch(/^[\d:]{8}  POST \/  record\.created → 200 OK, \d+ ms$/)
    expect(await command.until(/→ 503/)).toMatch(/GET \/fail → 503 Service Unavailable, \d+ ms: not  \[31mnow$/)
    expect(await command.stop()).toBe(0)
    expect(command.lines).toHaveLength(4)
    local.stop()
  })

  test('reads only as much of a response as it prints', async () => {
    local = receiver()
    command = forward(local.url)
    await command.until(/Ctrl-C/)
    await send('/endless')
    expect(await command.until(/endless/)).toEndWith(': ' + 'again and '.repeat(30).trim())
    await command.stop()
    local.stop()
  })

  test('forwards every request once, also when the service was unreachable', async () => {
    local = receiver()
    command = forward(local.url)
    await command.until(/Ctrl-C/)
    const { port = 0 } = server
    await server.stop(true)
    await command.until(/lost; trying again/)
    for (const at of [1, 2, 3]) await send(`/${at}`)
    server = serve(port)
    await local.until(3)
    await send('/4')
    const heard = await local.until(4)
    expect(heard.map(({ path }) => path)).toEqual(['/1', '/2', '/3', '/4'])
    await command.stop()
    local.stop()
  })

  test('prints that the receiver is unreachable, and continues', async () => {
    local = receiver()
    local.stop()
    command = forward(local.url)
    await command.until(/Ctrl-C/)
    await send('/nobody')
    expect(await command.until(/nobody/)).toContain(`→ nothing listens at ${new URL(local.url).host}`)
    expect(await command.stop()).toBe(0)
  })

  test('ends with the reason when a retry cannot succeed', async () => {
    const unknown = '01a1fb7a-62c6-71ca-9c81-42d3a5c9cb03'
    const key = await service.keyWith(['task:read'])
    const cases: [exit: number, problem: string | RegExp, command: ReturnType<typeof relata>][] = [
      [1, 'The service does not accept this key.', forward('http://localhost:1', 'wrong')],
      [1, /webhook/i, forward('http://localhost:1', key)],
      [1, new RegExp(unknown), forward('http://localhost:1', service.key, unknown)],
      [2, /^--to is an address that begins with http/, forward('localhost:1')],
      [1, 'Nothing answers at http://127.0.0.1:1.', relata(...elsewhere('http://127.0.0.1:1/'))],
    ]
    for (const [exit, problem, { ended, lines }] of cases) {
      expect(await ended).toBe(exit)
      expect(lines.join('\n')).toMatch(problem)
    }
  })

  test('ends when the endpoint is deleted', async () => {
    local = receiver()
    command = forward(local.url)
    await command.until(/Ctrl-C/)
    await service.request('DELETE', `/v2/test_endpoints/${endpoint.test_endpoint_id}`)
    await server.stop(true)
    server = serve(server.port ?? 0)
    expect(await command.ended).toBe(1)
    local.stop()
  })
})

const elsewhere = (url: string) =>
  ['webhooks forward', `--endpoint ${endpoint.test_endpoint_id} --to ${url} --key x --service ${url}`]
    .join(' ')
    .split(' ')

test.each([
  ['http://a:1', '/', 'http://a:1/'],
  ['http://a:1/b', '/', 'http://a:1/b'],
  ['http://a:1/b/', '/c?d=%20', 'http://a:1/b/c?d=%20'],
  ['http://a:1/b?x=1', '/?y=2', 'http://a:1/b?x=1&y=2'],
])('%s and %s is %s', (to, path, address) => {
  expect(addressOf(new URL(to), path)).toBe(address)
})
