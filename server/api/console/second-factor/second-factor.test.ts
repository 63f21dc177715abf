import { describe, expect, test } from 'bun:test'
import { TOTP, Secret } from 'otpauth'
import { accountRemoveSecondFactor } from '#run/cli/person/person'
import { createAuthenticator } from '#testing/authenticator'
import { signedIn, type Person } from '#testing/people'
import { useTestService } from '#testing/use-service'

const SECOND = 1_000_000
const STEP = 30 * SECOND

const service = useTestService()
let now: number

/** Stops the clock at the middle of a time step, later than every step of the tests before. */
function stopClock(): void {
  now = Math.ceil((Math.max(now ?? 0, service.appContext.now()) + 10 * STEP) / STEP) * STEP + STEP / 2
  service.setNow(now)
}
const advance = (micros: number) => service.setNow((now += micros))

const codeOf = (secret: string, at = now) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at / 1000 })

const post = (path: string, body: object) => service.request('POST', `/console/api/${path}`, body, { key: null })
const signIn = ({ email_address, password }: Person) => post('sign-in', { email_address, password })
const complete = (token: string, proof: object) => post('sign-in/second-factor', { token, proof })

/** Returns the token of the second step after the right password. */
async function tokenOf(person: Person): Promise<string> {
  const { headers, body } = await signIn(person)
  expect(headers.get('set-cookie')).toBeNull()
  return body.data.second_factor.token
}

async function withTotp(person: Person): Promise<{ secret: string; codes: string[] }> {
  const { body } = await person.ask('POST', '/console/api/second-factor/totp', {})
  const { secret } = body.data
  const confirmed = await person.ask('POST', '/console/api/second-factor/totp/confirm', { code: codeOf(secret) })
  expect(confirmed.status).toBe(200)
  advance(STEP)
  return { secret, codes: confirmed.body.data.recovery_codes }
}

async function withPasskey(person: Person) {
  const authenticator = createAuthenticator()
  const options = (await person.ask('POST', '/console/api/second-factor/passkeys/options', {})).body.data
  const response = authenticator.create(options)
  const answer = await person.ask('POST', '/console/api/second-factor/passkeys', { name: 'Key', response })
  expect(answer.status).toBe(200)
  return { authenticator, answer }
}

const optionsFor = async (token: string) =>
  (await post('sign-in/second-factor/passkey-options', { token })).body.data as { challenge: string }

const factorsOf = async (person: Person) => (await person.ask('GET', '/console/api/second-factor')).body.data

describe('an authenticator app', () => {
  test('counts after its first code, and is asked for at the next sign-in', async () => {
    stopClock()
    const person = await signedIn(service)
    const { body } = await person.ask('POST', '/console/api/second-factor/totp', {})
    expect(body.data.uri).toContain(`otpauth://totp/Relata:${encodeURIComponent(person.email_address)}?issuer=Relata`)
    expect((await signIn(person)).headers.get('set-cookie')).toContain('relata_session=')
    for (const code of ['000000', codeOf(body.data.secret, now - 3 * STEP), '', 'x'.repeat(61)]) {
      const { status } = await person.ask('POST', '/console/api/second-factor/totp/confirm', { code })
      expect([code, status]).toEqual([code, 400])
    }
    const { secret, codes } = await withTotp(person)
    expect(codes).toHaveLength(10)
    expect(await factorsOf(person)).toMatchObject({ totp: {}, passkeys: [], recovery_codes: 10 })
    const token = await tokenOf(person)
    const { status, headers } = await complete(token, { method: 'totp', code: codeOf(secret) })
    expect([status, headers.get('set-cookie')]).toEqual([200, expect.stringContaining('relata_session=')])
    expect((await person.ask('POST', '/console/api/second-factor/totp', {})).status).toBe(409)
    const stored = await service.db.sql`select code_hash from relata.recovery_codes`
    expect(JSON.stringify(stored)).not.toContain(codes[0] ?? '')
  })

  test('its first one ends the other sessions and the sign-ins that wait', async () => {
    stopClock()
    const person = await signedIn(service)
    const cookie = (await signIn(person)).headers.get('set-cookie')?.split(';')[0] ?? ''
    await withTotp(person)
    expect((await person.ask('GET', '/console/api/sessions')).body.data).toMatchObject([{ second_factor: 'totp' }])
    const elsewhere = { key: null, headers: { Cookie: cookie } }
    expect((await service.request('GET', '/console/api/sessions', undefined, elsewhere)).status).toBe(401)
  })

  test('401 for a code of a time step that was used, also for one of two requests at once', async () => {
    stopClock()
    const person = await signedIn(service)
    const { secret } = await withTotp(person)
    const proof = { method: 'totp', code: codeOf(secret) }
    const tokens = [await tokenOf(person), await tokenOf(person), await tokenOf(person)]
    const statuses = (await Promise.all(tokens.map((token) => complete(token, proof)))).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 401, 401])
    advance(STEP)
    const older = { method: 'totp', code: codeOf(secret, now - STEP) }
    expect((await complete(await tokenOf(person), older)).status).toBe(401)
    const later = { method: 'totp', code: codeOf(secret, now + STEP) }
    expect((await complete(await tokenOf(person), later)).status).toBe(200)
  })

  test('429 after five wrong codes on an account, for concurrent guesses too; other accounts are not affected', async () => {
    stopClock()
    const [person, other] = [await signedIn(service), await signedIn(service)]
    const { secret } = await withTotp(person)
    const { secret: otherSecret } = await withTotp(other)
    const token = await tokenOf(person)
    const guess = () => complete(token, { method: 'totp', code: '000000' })
    const statuses = (await Promise.all(Array.from({ length: 12 }, guess))).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(7)
    expect((await complete(token, { method: 'totp', code: codeOf(secret) })).status).toBe(429)
    expect((await complete(await tokenOf(other), { method: 'totp', code: codeOf(otherSecret) })).status).toBe(200)
    advance(2 * SECOND)
    expect((await complete(token, { method: 'totp', code: codeOf(secret) })).status).toBe(200)
  })

  test('401 for a token that is unknown, used or older than ten minutes; 400 for a proof of another form', async () => {
    stopClock()
    const person = await signedIn(service)
    const { secret } = await withTotp(person)
    const token = await tokenOf(person)
    const code = () => ({ method: 'totp', code: codeOf(secret) })
    for (const proof of [{}, { method: 'password', password: person.password }, { method: 'totp' }, { method: 'sms' }])
      expect((await complete(token, proof)).status).toBe(400)
    expect((await complete('unknown', code())).body.code).toBe('sign_in_expired')
    expect((await complete(token, code())).status).toBe(200)
    expect((await complete(token, code())).body.code).toBe('sign_in_expired')
    const late = await tokenOf(person)
    advance(600 * SECOND)
    expect((await complete(late, code())).body.code).toBe('sign_in_expired')
    expect((await post('sign-in/second-factor/passkey-options', { token: late })).status).toBe(401)
  })
})

describe('recovery codes', () => {
  test('each signs in once, in any case and with spaces; new ones replace them', async () => {
    stopClock()
    const person = await signedIn(service)
    const { codes } = await withTotp(person)
    const proofOf = (code = '') => ({ method: 'recovery-code', code })
    const used = codes[0] ?? ''
    const spelt = used.toUpperCase().replaceAll('-', ' ')
    const tokens = [await tokenOf(person), await tokenOf(person)]
    const statuses = await Promise.all(tokens.map(async (token) => (await complete(token, proofOf(spelt))).status))
    expect(statuses.toSorted()).toEqual([200, 401])
    expect((await factorsOf(person)).recovery_codes).toBe(9)
    const path = '/console/api/second-factor/recovery-codes'
    const proof = { method: 'password', password: person.password }
    const { body } = await person.ask('POST', path, { proof })
    expect(body.data.recovery_codes).toHaveLength(10)
    expect((await complete(await tokenOf(person), proofOf(codes[1]))).status).toBe(401)
    expect((await complete(await tokenOf(person), proofOf(body.data.recovery_codes[1]))).status).toBe(200)
    const stranger = await signedIn(service)
    expect((await stranger.ask('POST', path, { proof })).status).toBe(404)
  })
})

describe('a passkey', () => {
  test('signs in; 401 for the same answer again, another origin, another host and another key', async () => {
    const person = await signedIn(service)
    const { authenticator, answer } = await withPasskey(person)
    expect(answer.body.data.recovery_codes).toHaveLength(10)
    const token = await tokenOf(person)
    const passkeyProof = (response: object) => ({ method: 'passkey', response })
    const wrong = [
      authenticator.get(await optionsFor(token), { origin: 'https://evil.example' }),
      authenticator.get(await optionsFor(token), { rpId: 'evil.example' }),
      authenticator.get(await optionsFor(token), { challenge: 'AAAA' }),
      createAuthenticator().get(await optionsFor(token)),
    ]
    for (const response of wrong) expect((await complete(token, passkeyProof(response))).status).toBe(401)
    const right = passkeyProof(authenticator.get(await optionsFor(token)))
    expect((await complete(token, right)).status).toBe(200)
    expect((await complete(await tokenOf(person), right)).status).toBe(401)
    expect((await factorsOf(person)).passkeys[0].last_used_at).toMatch(/Z$/)
  })

  test('400 for an answer to another challenge, another origin, and a passkey that exists', async () => {
    const person = await signedIn(service)
    const authenticator = createAuthenticator()
    const begin = async () => (await person.ask('POST', '/console/api/second-factor/passkeys/options', {})).body.data
    const add = async (response: object) =>
      (await person.ask('POST', '/console/api/second-factor/passkeys', { name: 'Key', response })).status
    expect(await add(authenticator.create(await begin(), { challenge: 'AAAA' }))).toBe(400)
    expect(await add(authenticator.create(await begin(), { origin: 'https://evil.example' }))).toBe(400)
    const options = await begin()
    const stranger = await signedIn(service)
    const body = { name: 'Key', response: authenticator.create(options) }
    expect((await stranger.ask('POST', '/console/api/second-factor/passkeys', body)).status).toBe(400)
    expect(await add(body.response)).toBe(200)
    expect(await add(body.response)).toBe(400)
    expect(await add(authenticator.create(await begin()))).toBe(400)
    expect(await add({ ...body.response, response: {} })).toBe(400)
  })

  test('200 with options that name the passkeys; each passkey and the app are removed with a proof', async () => {
    stopClock()
    const person = await signedIn(service)
    const { authenticator } = await withPasskey(person)
    const { secret } = await withTotp(person)
    const [{ id }] = (await factorsOf(person)).passkeys
    const path = `/console/api/second-factor/passkeys/${id}/remove`
    for (const [proof, status] of [
      [undefined, 400],
      [{ method: 'password', password: 'wrong' }, 403],
      [{ method: 'recovery-code', code: 'wrong' }, 403],
    ] as const)
      expect((await person.ask('POST', path, { proof })).status).toBe(status)
    const stranger = await signedIn(service)
    const strangersProof = { method: 'password', password: stranger.password }
    expect((await stranger.ask('POST', path, { proof: strangersProof })).status).toBe(404)
    const { body } = await person.ask('POST', '/console/api/second-factor/passkey-options', {})
    expect(body.data.allowCredentials).toHaveLength(1)
    const proof = { method: 'passkey', response: authenticator.get(body.data) }
    expect((await person.ask('POST', path, { proof })).status).toBe(200)
    const removal = { proof: { method: 'totp', code: codeOf(secret) } }
    expect((await person.ask('POST', '/console/api/second-factor/totp/remove', removal)).status).toBe(200)
    expect(await factorsOf(person)).toEqual({ totp: null, passkeys: [], recovery_codes: 0 })
    expect((await person.ask('GET', '/console/api/sessions')).body.data[0].second_factor).toBeNull()
    expect((await signIn(person)).headers.get('set-cookie')).toContain('relata_session=')
  })

  test('403 for adding a factor ten minutes after the sign-in, until the account proves itself', async () => {
    stopClock()
    const person = await signedIn(service)
    advance(600 * SECOND)
    for (const path of ['totp', 'passkeys/options']) {
      const { status, body } = await person.ask('POST', `/console/api/second-factor/${path}`, {})
      expect([status, body.code]).toEqual([403, 'proof_required'])
    }
    const proof = { method: 'password', password: person.password }
    expect((await person.ask('POST', '/console/api/second-factor/totp', { proof })).status).toBe(200)
    expect((await person.ask('POST', '/console/api/second-factor/passkeys/options', {})).status).toBe(200)
  })
})

test('an operator removes all second factors of a person, and signs them out', async () => {
  stopClock()
  const person = await signedIn(service)
  await withTotp(person)
  const { db, appContext } = service
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  const positionals = [person.email_address]
  const context = { db, now: appContext.now, print } as unknown as Parameters<typeof accountRemoveSecondFactor.run>[1] // the parts that it uses
  await accountRemoveSecondFactor.run({ positionals, options: {} }, context)
  expect((await person.ask('GET', '/console/api/sessions')).status).toBe(401)
  expect((await signIn(person)).headers.get('set-cookie')).toContain('relata_session=')
})

test('the audit log has each change and each use of a recovery code, and no secret', async () => {
  stopClock()
  const person = await signedIn(service)
  const { secret, codes } = await withTotp(person)
  await complete(await tokenOf(person), { method: 'totp', code: '000000' })
  await complete(await tokenOf(person), { method: 'recovery-code', code: codes[0] ?? '' })
  const proof = { method: 'password', password: person.password }
  await person.ask('POST', '/console/api/second-factor/totp/remove', { proof })
  const entries = await service.db.sql`
    select action, details from relata.audit_log where account_id = ${person.accountId} order by created_at, id`
  expect(entries.map(({ action }) => action).toSorted()).toEqual([
    'recovery-code.used',
    'second-factor.added',
    'second-factor.removed',
    'sign-in.failed',
    'sign-in.succeeded',
  ])
  const text = JSON.stringify(entries)
  for (const hidden of [secret, ...codes]) expect(text).not.toContain(hidden)
})
