import { beforeAll, describe, expect, test } from 'bun:test'
import {
  authorizeQuery,
  CHALLENGE,
  consent,
  makeApp,
  openAuthorize,
  post,
  REDIRECT,
  sendForm,
  showConsent,
  VERIFIER,
  type Query,
  type TestApp,
} from '#testing/oauth'
import { type Person, signedIn } from '#testing/people'
import { useTestService } from '#testing/use-service'

const service = useTestService()
let app: TestApp
beforeAll(async () => {
  app = await makeApp(service)
})

const open = (query: Query = {}, of = app) => openAuthorize(service, authorizeQuery(of, query))
const errorIn = async (response: Response): Promise<Record<string, unknown>> => {
  const location = new URL(response.headers.get('location') ?? 'none:')
  return {
    status: response.status,
    to: location.origin + location.pathname,
    ...Object.fromEntries(location.searchParams),
  }
}

describe('GET /authorize', () => {
  test('200 with the consent page, which no other origin can read or frame', async () => {
    const { headers } = await open()
    expect(headers.get('location')).toBeNull()
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('access-control-allow-origin')).toBeNull()
    // The window keeps its opener, which is a page of the app.
    expect(headers.get('cross-origin-opener-policy')).toBe('unsafe-none')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self' https:;")
  })

  const untrusted: [string, Query, string][] = [
    ['no client_id', { client_id: undefined }, '&quot;client_id&quot; is missing'],
    ['an unknown client_id', { client_id: crypto.randomUUID() }, 'no app with this'],
    ['a client_id that is not an id', { client_id: '<script>' }, 'no app with this'],
    ['NUL in client_id', { client_id: 'a\0b' }, 'no app with this'],
    ['no redirect_uri', { redirect_uri: undefined }, '&quot;redirect_uri&quot; is missing'],
    ['another path', { redirect_uri: `${REDIRECT}/` }, 'did not register'],
    ['another host', { redirect_uri: 'https://evil.example/callback' }, 'did not register'],
    ['another scheme', { redirect_uri: 'http://app.example.com/callback' }, 'did not register'],
    ['more query', { redirect_uri: `${REDIRECT}?next=https://evil.example` }, 'did not register'],
    ['a user before the host', { redirect_uri: 'https://app.example.com@evil.example/callback' }, 'did not register'],
    ['script', { redirect_uri: 'javascript:alert(1)' }, 'did not register'],
    ['NUL in redirect_uri', { redirect_uri: `${REDIRECT}\0` }, 'did not register'],
    ['a fragment', { redirect_uri: `${REDIRECT}#x` }, 'did not register'],
    ['a host in upper case', { redirect_uri: REDIRECT.replace('app', 'APP') }, 'did not register'],
  ]
  test.each(untrusted)('400 and a page, never a redirect, for %s', async (_, query, words) => {
    const response = await open(query)
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe-inline')
    const html = await response.text()
    expect(html).toContain(words)
    // Scripts and styles are files of this origin; parts of the URL appear as text.
    expect(html.match(/<script[^>]*>/g)).toEqual(['<script src="/theme.js">'])
    expect(html).toContain('Go back to the app')
    expect(html).not.toContain('<style')
    expect([...html.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href)).toEqual(['/objects'])
  })

  test('414 and a page for a URL of more than 16 KiB', async () => {
    const response = await open({ state: 'x'.repeat(17_000) })
    expect([response.status, response.headers.get('location')]).toEqual([414, null])
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(await response.text()).toContain('The URL is longer than the 16 KiB allowed.')
  })

  test.each([
    [{ redirect_uri: 'https://evil.example/callback' }, 400, 'Die App hat diese „redirect_uri“ nicht registriert'],
    [{ state: 'x'.repeat(17_000) }, 414, 'Die Anfrage ist fehlgeschlagen'],
  ] as const)('a page in the language of the browser %#', async (query, status, text) => {
    const headers = { 'accept-language': 'de-AT,en;q=0.5' }
    const request = new Request(`http://localhost/authorize?${authorizeQuery(app, query)}`, { headers })
    const response = await service.app.handle(request)
    const html = await response.text()
    expect([response.status, html]).toEqual([status, expect.stringContaining(text)])
    expect(html).toContain('<html lang="de">')
    expect(html).toContain('Zur Konsole')
  })

  test('400 and a page for a loopback address with an invalid port', async () => {
    const native = await makeApp(service, { redirect_uris: ['http://localhost:3000/cb'], is_public: true })
    const response = await open({ redirect_uri: 'http://localhost:99999/cb' }, native)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('did not register')
  })

  test.each(['client_id', 'redirect_uri'])('400 and a page for %s sent twice', async (name) => {
    const query = authorizeQuery(app)
    query.append(name, query.get(name) ?? '')
    expect((await openAuthorize(service, query)).status).toBe(400)
  })

  const short = 'a'.repeat(42)
  const refused: [string, Query, string, string][] = [
    ['no response_type', { response_type: undefined }, 'invalid_request', 'response_type'],
    ['an empty response_type', { response_type: '' }, 'invalid_request', 'response_type'],
    ['the implicit grant', { response_type: 'token' }, 'unsupported_response_type', 'code'],
    ['a hybrid flow', { response_type: 'code id_token' }, 'unsupported_response_type', 'code'],
    ['a challenge that is too short', { code_challenge: short }, 'invalid_request', '43'],
    ['a challenge that is too long', { code_challenge: 'a'.repeat(129) }, 'invalid_request', '43'],
    ['a challenge with other characters', { code_challenge: `${short}+` }, 'invalid_request', '43'],
    ['plain', { code_challenge_method: 'plain' }, 'invalid_request', 'S256'],
    ['no method, which means plain', { code_challenge_method: undefined }, 'invalid_request', 'S256'],
    ['an unknown method', { code_challenge_method: 'S512' }, 'invalid_request', 'S256'],
    ['a method without a challenge', { code_challenge: undefined }, 'invalid_request', 'code_challenge'],
    ['prompt=none', { prompt: 'none' }, 'access_denied', 'prompt'],
    ['none among other prompts', { prompt: 'login none' }, 'access_denied', 'prompt'],
  ]
  test.each(refused)('302 to the app for %s', async (_, query, error, words) => {
    const answer = await errorIn(await open(query))
    expect(answer).toEqual({
      status: 302,
      to: REDIRECT,
      error,
      error_description: expect.stringContaining(words),
      state: 'xyz',
      iss: 'http://localhost:8080',
    })
    // RFC 6749, 4.1.2.1.
    expect(answer.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
  })

  test.each(['response_type', 'state', 'code_challenge', 'scope'])(
    '302 invalid_request for %s sent twice',
    async (name) => {
      const query = authorizeQuery(app, { scope: 'note:read' })
      query.append(name, query.get(name) ?? '')
      expect(await errorIn(await openAuthorize(service, query))).toMatchObject({
        status: 302,
        error: 'invalid_request',
      })
    },
  )

  test('302 invalid_request for a public app without PKCE, and with plain also where it is allowed', async () => {
    const native = await makeApp(service, { is_public: true, allows_plain_pkce: true })
    const none = { code_challenge: undefined, code_challenge_method: undefined }
    expect(await errorIn(await open(none, native))).toMatchObject({ error: 'invalid_request' })
    expect(await errorIn(await open({ code_challenge_method: 'plain' }, native))).toMatchObject({
      error: 'invalid_request',
    })
    expect((await open({}, native)).headers.get('location')).toBeNull()
  })

  test('200 for plain when the app allows it, for a confidential app without PKCE, and for unknown parameters', async () => {
    const plain = await makeApp(service, { allows_plain_pkce: true })
    expect((await open({ code_challenge_method: undefined }, plain)).headers.get('location')).toBeNull()
    const none = { code_challenge: undefined, code_challenge_method: undefined, state: undefined }
    expect((await open(none)).headers.get('location')).toBeNull()
    expect((await open({ audience: 'x', response_mode: 'fragment' })).headers.get('location')).toBeNull()
  })

  test('302 to a redirect URI with the query that it was registered with', async () => {
    const redirect_uri = 'https://app.example.com/cb?tenant=a%2Fb'
    const own = await makeApp(service, { redirect_uris: [redirect_uri] })
    const location = (await open({ redirect_uri, response_type: 'token' }, own)).headers.get('location') ?? ''
    expect(location).toStartWith(`${redirect_uri}&error=unsupported_response_type&`)
  })

  test.each(['http://localhost:49152/cb', 'http://localhost/cb'])(
    '200 for a loopback address with any port: %s',
    async (redirect_uri) => {
      const native = await makeApp(service, { redirect_uris: ['http://localhost:3000/cb'], is_public: true })
      const { headers } = await open({ redirect_uri }, native)
      expect(headers.get('location')).toBeNull()
      expect(headers.get('content-security-policy')).toContain("form-action 'self' https: http:;")
      const person = await signedIn(service)
      const location = await consent(service, person, native, { query: { redirect_uri } })
      expect(location.href).toStartWith(`${redirect_uri}?code=`)
    },
  )

  test('302 invalid_request for a state with NUL, which is returned', async () => {
    const state = 'a\0b'
    expect(await errorIn(await open({ state }))).toMatchObject({ status: 302, error: 'invalid_request', state })
  })

  test('302 with the unchanged state', async () => {
    const state = 'a b+c%20&=#?/\u00e4"<>'
    expect(await errorIn(await open({ state, response_type: 'token' }))).toMatchObject({ state })
    const person = await signedIn(service)
    expect((await consent(service, person, app, { query: { state } })).searchParams.get('state')).toBe(state)
    const without = await consent(service, person, app, { query: { state: undefined } })
    expect([...without.searchParams.keys()]).toEqual(['code', 'iss'])
  })

  test('404 for a preflight, without headers for other origins', async () => {
    const preflight = await service.request('OPTIONS', '/authorize', undefined, { key: null })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([404, null])
  })
})

describe('a client that registered itself', () => {
  /** Sends the requests of a browser, with a session if there is a person. */
  const visit = (query: URLSearchParams, person?: Person): Promise<Response> =>
    service.app.handle(new Request(`http://localhost/authorize?${query}`, person && { headers: person.headers }))

  async function register(name: string): Promise<URLSearchParams> {
    const answer = await service.request('POST', '/oauth/register', { client_name: name, redirect_uris: [REDIRECT] })
    const request = { response_type: 'code', client_id: answer.body.client_id, redirect_uri: REDIRECT, state: 'xyz' }
    return new URLSearchParams({ ...request, ...CHALLENGE })
  }

  const withFault = (query: URLSearchParams): URLSearchParams => {
    const faulty = new URLSearchParams(query)
    faulty.set('response_type', 'token')
    return faulty
  }

  /** The page names the client, says what is wrong, and has the redirect only as a link. */
  async function expectPage(response: Response, status: number, words: readonly string[]): Promise<void> {
    expect([response.status, response.headers.get('location')]).toEqual([status, null])
    const html = await response.text()
    for (const text of words) expect(html).toContain(text)
    expect(html).not.toContain('http-equiv')
    const links = [...html.matchAll(/<a href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))
    expect(links.map((href) => href.split('?')[0])).toEqual([REDIRECT, '/objects'])
    const error = new URL(links[0] ?? '').searchParams
    expect([error.get('state'), error.get('iss')]).toEqual(['xyz', 'http://localhost:8080'])
    expect(error.get('error')).not.toBeNull()
  }

  test('400 and a page in place of a redirect with an error, before it has a grant', async () => {
    const person = await signedIn(service)
    const query = withFault(await register('<b>Lib & Co</b>'))
    const words = ['&lt;b&gt;Lib &amp; Co&lt;/b&gt;', 'response_type must be code', 'app.example.com']
    for (const by of [undefined, person]) await expectPage(await visit(query, by), 400, words)
  })

  test('200 and a page after a denial; 303 with a code after consent', async () => {
    const person = await signedIn(service)
    const query = await register('Librarian')
    const answer = async (decision: string) => {
      const { consent_token } = await showConsent(person, query)
      return sendForm(service, person, { consent_token, workspace_id: service.workspaceId, decision })
    }
    await expectPage(await answer('deny'), 200, ['You declined', 'Librarian'])
    const allowed = await answer('allow')
    expect([allowed.status, allowed.headers.get('location')]).toEqual([303, expect.stringContaining('code=')])
  })

  test('302 with the error for people of a workspace that gave it a grant, and a page for others', async () => {
    const person = await signedIn(service)
    const there = (await service.anotherWorkspace()).workspaceId
    const stranger = await signedIn(service, { [there]: 'admin' })
    const query = await register('Librarian')
    const { consent_token } = await showConsent(person, query)
    const form = { consent_token, workspace_id: service.workspaceId, decision: 'allow' }
    const location = (await sendForm(service, person, form)).headers.get('location') ?? ''
    const exchange = {
      grant_type: 'authorization_code',
      code: new URL(location).searchParams.get('code') ?? '',
      client_id: query.get('client_id') ?? '',
      redirect_uri: REDIRECT,
      code_verifier: VERIFIER,
    }
    expect((await post(service, '/oauth/token', exchange)).status).toBe(200)
    expect(await errorIn(await visit(withFault(query), person))).toMatchObject({ status: 302, to: REDIRECT })
    for (const by of [undefined, stranger]) await expectPage(await visit(withFault(query), by), 400, ['Librarian'])
  })
})
