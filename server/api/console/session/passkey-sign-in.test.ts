import { beforeAll, describe, expect, test } from 'bun:test'
import { createAuthenticator, type Authenticator } from '#testing/authenticator'
import { signedIn } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

const HOUR = 3600_000_000

const service = useTestService()
const person = usePerson(service)
let authenticator: Authenticator
beforeAll(async () => {
  authenticator = createAuthenticator()
  const options = (await person.ask('POST', '/console/api/second-factor/passkeys/options', {})).body.data
  expect(options.authenticatorSelection.residentKey).toBe('preferred')
  const response = authenticator.create(options)
  expect((await person.ask('POST', '/console/api/second-factor/passkeys', { name: 'Key', response })).status).toBe(200)
})

const post = (path: string, body: object, headers = {}) =>
  service.request('POST', `/console/api/sign-in${path}`, body, { key: null, headers })
const begin = async () => (await post('/passkey-options', {})).body.data
const signIn = (response: object) => post('/passkey', { response })
const cookieOf = ({ headers }: { headers: Headers }) => ({ Cookie: headers.get('set-cookie')?.split(';')[0] ?? '' })
const advance = (micros: number) => service.setNow(service.appContext.now() + micros)

describe('POST /console/api/sign-in/passkey', () => {
  test('200 without a second step, once; the session has a second factor', async () => {
    const options = await begin()
    expect([options.allowCredentials, options.userVerification]).toEqual([undefined, 'required'])
    const response = authenticator.get(options)
    const twice = await Promise.all([signIn(response), signIn(response)])
    expect(twice.map(({ status }) => status).toSorted()).toEqual([200, 401])
    const headers = cookieOf(twice.find(({ status }) => status === 200) ?? { headers: new Headers() })
    const { body } = await service.request('GET', '/console/api/sessions', undefined, { key: null, headers })
    const current = body.data.find(({ is_current }: { is_current: boolean }) => is_current)
    expect(current).toMatchObject({ method: 'passkey', second_factor: 'passkey' })
  })

  const secondStep = async () => {
    const { email_address, password } = person
    const { token } = (await post('', { email_address, password })).body.data.second_factor
    return (await post('/second-factor/passkey-options', { token })).body.data
  }
  const late = async () => {
    const response = authenticator.get(await begin())
    advance(HOUR)
    return response
  }
  const wrong: [string, () => Promise<object>][] = [
    ['another origin', async () => authenticator.get(await begin(), { origin: 'https://evil.example' })],
    ['another host', async () => authenticator.get(await begin(), { rpId: 'evil.example' })],
    ['an unknown challenge', async () => authenticator.get(await begin(), { challenge: 'AAAA' })],
    ['the challenge of a second step', async () => authenticator.get(await secondStep(), { isUserVerified: true })],
    ['a challenge older than five minutes', late],
    ['a person who was not verified', async () => authenticator.get(await begin(), { isUserVerified: false })],
    ['the account of another person', async () => authenticator.get(await begin(), { userHandle: 'AAAA' })],
    ['an unknown passkey', async () => createAuthenticator().get(await begin())],
  ]
  test.each(wrong)('401 for %s', async (_, answer) => {
    advance(HOUR)
    const { status, headers, body } = await signIn(await answer())
    expect([status, headers.get('set-cookie')]).toEqual([401, null])
    expect(body.message).toContain('not accepted')
  })

  test('401 for an answer that cannot be read, 400 for one of another form', async () => {
    advance(25 * HOUR)
    const response = authenticator.get(await begin())
    for (const clientDataJSON of ['', 'x', 'bnVsbA', 'e30'])
      expect((await signIn({ ...response, response: { ...bodyOf(response), clientDataJSON } })).status).toBe(401)
    for (const other of [{}, { ...response, id: 5 }, { ...response, type: 'password' }, { ...response, id: '%' }])
      expect((await signIn(other)).status).toBe(400)
  })

  test('429 after five wrong answers of one passkey; the right one waits too', async () => {
    advance(25 * HOUR)
    const now = service.appContext.now()
    service.setNow(now)
    const answer = async (isUserVerified: boolean) =>
      (await signIn(authenticator.get(await begin(), { isUserVerified }))).status
    for (let guess = 0; guess < 5; guess++) expect(await answer(false)).toBe(401)
    expect(await answer(true)).toBe(429)
    service.setNow(now + 3_000_000)
    expect(await answer(true)).toBe(200)
  })

  test('the rules of the workspace: it satisfies a second factor, and not the provider', async () => {
    const session = cookieOf(await signIn(authenticator.get(await begin())))
    const { workspaceId, db } = service
    const codeWith = async (rules: object) => {
      await db.control
        .insertInto('relata.sign_in_rules')
        .values({ workspace_id: workspaceId, ...rules })
        .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet({ ...rules }))
        .execute()
      const own = { key: null, headers: { ...session, 'X-Workspace': workspaceId } }
      return (await service.request('GET', '/console/v2/objects', undefined, own)).body.code
    }
    expect(await codeWith({ requires_second_factor: true })).toBeUndefined()
    const other = await signedIn(service)
    const required = { requires_provider: true, break_glass_member_id: other.memberIds[workspaceId] ?? null }
    expect(await codeWith(required)).toBe('provider_required')
    expect(await codeWith({ break_glass_member_id: person.memberIds[workspaceId] ?? null })).toBeUndefined()
  })
})

/** The member `response` of the answer of an authenticator. */
const bodyOf = (answer: object): object => ('response' in answer ? Object(answer.response) : {})

test('the audit log has the sign-ins and the failures', async () => {
  const rows = await service.db.sql<{ action: string; count: number }[]>`
    select action, count(*)::int as count from relata.audit_log
    where details::jsonb ->> 'method' = 'passkey' group by action order by action`
  expect(rows.map(({ action }) => action)).toEqual(['sign-in.failed', 'sign-in.succeeded'])
})
