import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createTargetPolicy } from '#events/webhooks/send/target'
import { createAccountFetch, mayReceiveSignIn, readResponseText } from './web-request'

/** Two origins. `/to/…` redirects to the second one, `/loop` to itself. */
const seen: (string | null)[] = []
let first: ReturnType<typeof Bun.serve>
let second: ReturnType<typeof Bun.serve>
beforeAll(() => {
  second = Bun.serve({
    port: 0,
    fetch(request) {
      seen.push(request.headers.get('authorization'))
      return new Response('x'.repeat(1000))
    },
  })
  first = Bun.serve({
    port: 0,
    fetch(request) {
      seen.push(request.headers.get('authorization'))
      const { pathname } = new URL(request.url)
      if (pathname === '/loop') return new Response(null, { status: 302, headers: { location: '/loop' } })
      if (pathname === '/elsewhere')
        return new Response(null, { status: 307, headers: { location: `http://127.0.0.1:${second.port}/` } })
      if (pathname === '/inside')
        return new Response(null, { status: 302, headers: { location: 'file:///etc/passwd' } })
      return new Response(null, { status: Number(pathname.slice(1)) })
    },
  })
})
afterAll(() => {
  void first.stop(true)
  void second.stop(true)
})

const open = createAccountFetch(createTargetPolicy({ allowPrivate: true }))
const strict = createAccountFetch(createTargetPolicy({ allowPrivate: false }))
const ask = (path: string, fetchIt = open, maxBytes = 10_000) => {
  const at = `http://127.0.0.1:${first.port}/`
  const signIn = { authorization: 'Basic x', at }
  return fetchIt({ method: 'GET', url: at + path, signIn, signal: new AbortController().signal, maxBytes })
}

test('a redirect to another origin is followed without the sign-in', async () => {
  seen.length = 0
  const { url, body } = await ask('elsewhere')
  expect([seen, url, (await readResponseText(body)).length]).toEqual([
    ['Basic x', null],
    `http://127.0.0.1:${second.port}/`,
    1000,
  ])
})

test.each([
  ['loop', 'unexpected_answer', 'It redirects too often.'],
  ['inside', 'refused_address', 'The target must begin with https:// or http://.'],
  ['401', 'sign_in_refused', '401 Unauthorized'],
  ['429', 'server_busy', '429 Too Many Requests'],
  ['503', 'server_busy', '503 Service Unavailable'],
])('%s is %s', async (path, code, answer) => {
  expect(await ask(path).catch((error: unknown) => error)).toMatchObject({ code, answer })
})

test.each([
  ['https://p1-caldav.icloud.com/', 'https://caldav.icloud.com/', true],
  ['http://p1-caldav.icloud.com/', 'https://caldav.icloud.com/', false],
  ['https://example.org/', 'https://caldav.icloud.com/', false],
  // Each host of this domain has another owner.
  ['https://b.duckdns.org/', 'https://a.duckdns.org/', false],
  ['https://a.duckdns.org/x', 'https://a.duckdns.org/', true],
])('%s with the sign-in of %s: %p', (url, at, expected) => {
  expect(mayReceiveSignIn(new URL(url), new URL(at))).toBe(expected)
})

test('a private address, and an address without encryption, are refused', async () => {
  expect(await ask('200', strict).catch((error: unknown) => error)).toMatchObject({ code: 'refused_address' })
})

test('a body beyond the limit ends with an error', async () => {
  const { body } = await ask('elsewhere', open, 500)
  expect(await readResponseText(body).catch((error: unknown) => error)).toMatchObject({ code: 'too_large' })
})
