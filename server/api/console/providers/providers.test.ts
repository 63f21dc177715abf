import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createAccount, findAccountByEmail } from '#access/accounts/accounts'
import { createMember } from '#access/members/members'
import { CLIENT, startProvider, type TestProvider } from '../../../../e2e/support/openid-provider'
import { startFalseProvider, type FalseProvider } from '#testing/false-provider'
import { createBrowser, signInWith } from '#testing/browser-sign-in'
import { signedIn, type Person } from '#testing/people'
import { testService, type TestService } from '#testing/service'

const SECOND = 1_000_000

let service: TestService
let admin: Person
let real: TestProvider
let fake: FalseProvider
let settings: string
/** The claims of the users of the real provider. */
const users: Record<string, Record<string, unknown>> = {}
let made = 0

beforeAll(async () => {
  service = await testService()
  admin = await signedIn(service)
  settings = `/console/api/workspaces/${service.workspaceId}/sign-in`
  real = await startProvider(users, () => [redirectUri()])
  fake = await startFalseProvider()
})
afterAll(async () => {
  await real.close()
  await fake.close()
  await service.close()
})

const redirectUri = (id = service.workspaceId) => `http://localhost:8080/sign-in/callback/${id}`

const use = async ({ issuer }: TestProvider, person = admin, path = settings) => {
  const body = { name: 'Acme', issuer, client_id: CLIENT.id, client_secret: CLIENT.secret }
  const answer = await person.ask('PUT', `${path}/provider`, body)
  expect(answer.status).toBe(200)
  return answer
}

const browser = () => createBrowser(service)
const signInAt = (provider: TestProvider, login: string) => signInWith(service, provider, login)

const memberOf = async (workspaceId: string, email_address: string, hasAccount = true) => {
  const { db, appContext } = service
  const account = hasAccount
    ? await createAccount(db, { email_address, password: 'correct horse battery' }, appContext.now())
    : undefined
  const person = { first_name: 'A', last_name: 'B', email_address, account_id: account?.id ?? null }
  return createMember(db, workspaceId, { ...person, access_level: 'member' }, appContext.now())
}

/** A member and a user of the real provider with the same address. */
async function newUser(claims: Record<string, unknown> = {}): Promise<string> {
  const login = `user-${++made}`
  await memberOf(service.workspaceId, `${login}@example.com`)
  users[login] = { email: `${login}@example.com`, email_verified: true, ...claims }
  return login
}

describe('sign-in at the provider of a workspace', () => {
  beforeAll(() => use(real))

  test('signs in a member by a verified address in any case, then by the subject', async () => {
    const login = await newUser({ email: `USER-${made + 1}@Example.com` })
    const first = await signInAt(real, login)
    expect(first.answer.status).toBe(200)
    const { account, session_workspace_id, workspaces } = await first.session()
    expect([account?.email_address, session_workspace_id]).toEqual([`${login}@example.com`, service.workspaceId])
    expect(workspaces).toMatchObject([{ id: service.workspaceId, missing_step: null }])
    users[login] = { email: 'renamed@example.com', email_verified: false }
    expect((await signInAt(real, login)).answer.status).toBe(200)
  })

  test('403 for an address that is not verified or of no member; the suspended member and the answer "true" too', async () => {
    const cases: [Record<string, unknown>, string][] = [
      [{ email_verified: false }, 'email_not_verified'],
      [{ email_verified: 'true' }, 'email_not_verified'],
      [{ email: undefined }, 'email_not_verified'],
      [{ email: 'stranger@example.com' }, 'no_member'],
    ]
    for (const [claims, code] of cases) {
      const { answer, session } = await signInAt(real, await newUser(claims))
      expect([claims, answer.status, answer.body.code]).toEqual([claims, 403, code])
      expect((await session()).account).toBeNull()
    }
    const login = await newUser()
    await service.db.sql`
      update relata.workspace_members set access_level = 'suspended' where email_address = ${`${login}@example.com`}`
    expect((await signInAt(real, login)).answer.body.code).toBe('no_member')
  })

  test('a member without an account gets one, and concurrent first sign-ins are one account', async () => {
    const login = `user-${++made}`
    const email = `${login}@example.com`
    await memberOf(service.workspaceId, email, false)
    users[login] = { email, email_verified: true }
    const twice = await Promise.all([signInAt(real, login), signInAt(real, login)])
    expect(twice.map(({ answer }) => answer.status)).toEqual([200, 200])
    for (const { session } of twice) expect((await session()).account?.email_address).toBe(email)
    expect(await service.db.sql`select 1 from relata.accounts where email_address = ${email}`).toHaveLength(1)
  })

  test('the session opens this workspace only and does not change the account', async () => {
    const other = await service.anotherWorkspace()
    const login = await newUser()
    const account_id = (await findAccountByEmail(service.db, `${login}@example.com`)) ?? null
    const person = { first_name: 'A', last_name: 'B', email_address: `${login}@example.com`, account_id }
    await createMember(service.db, other.workspaceId, { ...person, access_level: 'admin' }, service.appContext.now())
    const { send, session } = await signInAt(real, login)
    expect((await session()).workspaces).toHaveLength(1)
    const get = async (path: string) => (await send('GET', path)).status
    expect(await get(`/console/api/workspaces/${service.workspaceId}`)).toBe(200)
    expect(await get(`/console/api/workspaces/${other.workspaceId}`)).toBe(404)
    expect(await get('/console/api/second-factor')).toBe(403)
    expect((await send('GET', '/console/api/sessions')).body.data).toMatchObject([{ method: 'provider' }])
  })

  test('401 in another browser, for the same response again, and after 15 minutes; 404 without a provider', async () => {
    const other = await service.anotherWorkspace()
    const login = await newUser()
    const person = browser()
    const query = await real.signIn(await person.begin(), login)
    expect((await browser().finish(query)).body.code).toBe('sign_in_expired')
    expect((await person.finish(query, other.workspaceId)).status).toBe(404)
    const again = await real.signIn(await person.begin(), login)
    expect((await person.finish(again)).status).toBe(200)
    expect((await person.finish(again)).body.code).toBe('sign_in_expired')
    const late = await real.signIn(await person.begin(), login)
    service.setNow(service.appContext.now() + 900 * SECOND)
    expect((await person.finish(late)).body.code).toBe('sign_in_expired')
    service.setNow()
    for (const wrong of ['', '?state=x', `?${'x'.repeat(9000)}`, '?state=a&state=b&code=c', '?error=access_denied'])
      expect((await person.finish(wrong)).status).toBeGreaterThanOrEqual(400)
    expect((await person.finish(query.replace(/state=[^&]+/, 'state=other'))).status).toBe(401)
  })
})

describe('sign-out at the provider', () => {
  const signOut = async (login: string, path = 'sign-out') => {
    const { send, session } = await signInAt(real, login)
    await session()
    const { status, headers, body } = await send('POST', `/console/api/${path}`)
    expect([status, headers.get('set-cookie')]).toEqual([200, expect.stringContaining('Max-Age=0')])
    return body.data.provider_sign_out_url
  }
  beforeAll(() => use(real))

  test.each(['sign-out', 'sign-out-everywhere'])('200 with a URL that the provider accepts: %s', async (path) => {
    const url = new URL(await signOut(await newUser(), path))
    expect([url.origin, url.searchParams.get('client_id')]).toEqual([real.issuer, CLIENT.id])
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe('http://localhost:8080/sign-in')
    expect(url.searchParams.get('id_token_hint')).toMatch(/^eyJ/)
    const page = await fetch(url)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('/session/end/confirm')])
    url.searchParams.set('post_logout_redirect_uri', 'https://evil.example/')
    expect((await fetch(url)).status).toBe(400)
  })

  test('200 without a URL for a password, and for a provider without such a page or with one that is no web page', async () => {
    const person = await signedIn(service)
    expect((await person.ask('POST', '/console/api/sign-out')).body.data).toEqual({ provider_sign_out_url: null })
    await use(fake)
    await memberOf(service.workspaceId, 'alan@example.com')
    const urlWith = async (end_session_endpoint: string | undefined) => {
      fake.changes = { metadata: { end_session_endpoint } }
      const { send, session } = await signInAt(fake, 'alan')
      await session()
      return (await send('POST', '/console/api/sign-out')).body.data.provider_sign_out_url
    }
    expect(await urlWith(undefined)).toBeNull()
    expect(await urlWith('javascript:alert(1)')).toBeNull()
    expect(await urlWith(`${fake.issuer}/end?x=1`)).toStartWith(`${fake.issuer}/end?x=1&`)
    fake.changes = {}
  })
})

describe('a response that is false', () => {
  const seconds = () => Math.floor(Date.now() / 1000)
  const cases: [string, () => FalseProvider['changes']][] = [
    ['another nonce', () => ({ claims: { nonce: 'other' } })],
    ['no nonce', () => ({ claims: { nonce: undefined } })],
    ['another issuer', () => ({ claims: { iss: 'https://other.example' } })],
    ['another audience', () => ({ claims: { aud: 'other' } })],
    ['two audiences and another authorized party', () => ({ claims: { aud: [CLIENT.id, 'other'], azp: 'other' } })],
    ['an expired token', () => ({ claims: { exp: seconds() - 600, iat: seconds() - 4000 } })],
    ['no subject', () => ({ claims: { sub: undefined } })],
    ['no signature', () => ({ signature: 'none' })],
    ['a signature with the client secret', () => ({ signature: 'HS256' })],
    ['a signature with another key', () => ({ signature: 'other key' })],
    ['the response of another provider', () => ({ responseIssuer: 'https://other.example' })],
    ['metadata of another issuer', () => ({ metadata: { issuer: 'https://other.example' } })],
    [
      'an authorization endpoint that is no web page',
      () => ({ metadata: { authorization_endpoint: 'javascript:alert(1)' } }),
    ],
    ['no ID token', () => ({ tokenResponse: () => Response.json({ access_token: 'x', token_type: 'Bearer' }) })],
    ['text', () => ({ tokenResponse: () => new Response('hello') })],
    ['a response of 2 MB', () => ({ tokenResponse: () => new Response('x'.repeat(2_000_000)) })],
    ['an error', () => ({ tokenResponse: () => Response.json({ error: 'server_error' }, { status: 500 }) })],
    ['a redirect', () => ({ tokenResponse: () => Response.redirect('http://127.0.0.1:1/') })],
    ['an address as subject text', () => ({ claims: { sub: 'x'.repeat(256) } })],
  ]

  beforeAll(() => use(fake))

  test('without a falsification, signs in', async () => {
    await memberOf(service.workspaceId, 'grace@example.com')
    expect((await signInAt(fake, 'grace')).answer.status).toBe(200)
  })

  test.each(cases)('400 for %s', async (_, changesOf) => {
    const person = browser()
    const query = await (async () => {
      const url = await person.begin()
      fake.changes = changesOf()
      return fake.signIn(url, 'grace')
    })()
    const { status, body } = await person.finish(query)
    fake.changes = {}
    expect([status, body.code]).toEqual([400, 'provider_failed'])
    expect(JSON.stringify(body)).not.toContain(CLIENT.secret)
    expect((await person.session()).account).toBeNull()
  })

  test('400 for a code that was used, and for the code of another provider', async () => {
    const person = browser()
    const code = async (provider: TestProvider) =>
      new URLSearchParams(await provider.signIn(await person.begin(), 'grace')).get('code')
    const used = await fake.signIn(await person.begin(), 'grace')
    await person.finish(used)
    const usedCode = new URLSearchParams(used).get('code') ?? ''
    const withCode = async (value: string) => {
      const query = new URLSearchParams(await fake.signIn(await person.begin(), 'grace'))
      query.set('code', value)
      return (await person.finish(`?${query}`)).body.code
    }
    expect(await withCode(usedCode)).toBe('provider_failed')
    const other = await startFalseProvider()
    expect(await withCode((await code(other)) ?? '')).toBe('provider_failed')
    await other.close()
  })

  test('the audit log has the reason of each failure, without a token', async () => {
    const entries = await service.db.sql`
      select details from relata.audit_log where action = 'provider.sign-in-failed' order by created_at`
    expect(entries.length).toBeGreaterThanOrEqual(cases.length)
    expect(JSON.stringify(entries)).not.toMatch(/eyJ|a-secret-of-the-client/)
  })
})
