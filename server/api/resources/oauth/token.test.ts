import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { CODE_SECONDS, s256 } from '#access/oauth/authorize/codes'
import { connect, consent, endTokens, makeApp, post, redeem, VERIFIER, type TestApp } from '#testing/oauth'
import { signedIn } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const person = usePerson(service)
let app: TestApp
beforeAll(async () => {
  app = await makeApp(service)
})
beforeEach(() => service.setNow())

const codeOf = async (of = app, query = {}) =>
  (await consent(service, person, of, { query })).searchParams.get('code') ?? ''
const works = async (token: string) => (await service.request('GET', '/v2/objects', undefined, { key: token })).status
const basic = (id: string, secret: string) => ({ Authorization: `Basic ${btoa(`${id}:${secret}`)}` })

describe('POST /oauth/token', () => {
  test('200 with a valid token, without members that older clients do not know', async () => {
    const { status, headers, body } = await redeem(service, app, await codeOf())
    expect([status, Object.keys(body)]).toEqual([200, ['access_token', 'token_type']])
    expect(body.access_token).toMatch(/^[0-9a-f]{64}$/)
    expect([headers.get('cache-control'), headers.get('pragma')]).toEqual(['no-store', 'no-cache'])
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(await works(body.access_token)).toBe(200)
  })

  test('200 for JSON as well', async () => {
    const body = {
      grant_type: 'authorization_code',
      client_id: app.app.id,
      client_secret: app.secret,
      code_verifier: VERIFIER,
    }
    const answer = await service.request('POST', '/oauth/token', { ...body, code: await codeOf() }, { key: null })
    expect([answer.status, answer.body.token_type]).toEqual([200, 'Bearer'])
  })

  test('200 for a client in the Authorization header, its parts form-encoded', async () => {
    const encoded = app.app.id.replaceAll('-', '%2D')
    for (const id of [app.app.id, encoded]) {
      const parameters = { grant_type: 'authorization_code', code: await codeOf(), code_verifier: VERIFIER }
      expect((await post(service, '/oauth/token', parameters, basic(id, app.secret))).status).toBe(200)
    }
  })

  test('200 without redirect_uri, which the older contract does not require', async () => {
    expect((await redeem(service, app, await codeOf(), { redirect_uri: undefined })).status).toBe(200)
  })

  test('200 without PKCE for a confidential app', async () => {
    const code = await codeOf(app, { code_challenge: undefined, code_challenge_method: undefined })
    expect((await redeem(service, app, code, { code_verifier: undefined })).status).toBe(200)
  })

  const refused: [what: string, parameters: Record<string, string | undefined>, status: number, error: string][] = [
    ['no grant_type', { grant_type: undefined }, 400, 'invalid_request'],
    ['an empty grant_type', { grant_type: '' }, 400, 'invalid_request'],
    ['the password grant', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['the client credentials grant', { grant_type: 'client_credentials' }, 400, 'unsupported_grant_type'],
    ['a refresh for an app without', { grant_type: 'refresh_token', refresh_token: 'x' }, 400, 'unauthorized_client'],
    ['no code', { code: undefined }, 400, 'invalid_request'],
    ['an unknown code', { code: 'nonsense' }, 400, 'invalid_grant'],
    ['another redirect address', { redirect_uri: 'https://app.example.com/other' }, 400, 'invalid_grant'],
    ['a wrong verifier', { code_verifier: VERIFIER.replace('a', 'b') }, 400, 'invalid_grant'],
    ['no verifier', { code_verifier: undefined }, 400, 'invalid_grant'],
    ['no client_id', { client_id: undefined }, 400, 'invalid_request'],
    ['no secret', { client_secret: undefined }, 401, 'invalid_client'],
    ['a wrong secret', { client_secret: '0'.repeat(64) }, 401, 'invalid_client'],
    ['an unknown client', { client_id: crypto.randomUUID() }, 401, 'invalid_client'],
    ['a client_id that is not an id', { client_id: 'x' }, 401, 'invalid_client'],
    ['NUL in a parameter', { code: 'a\0b' }, 400, 'invalid_request'],
  ]
  test.each(refused)('%s: %#', async (_, parameters, status, error) => {
    const code = await codeOf()
    const answer = await redeem(service, app, code, parameters)
    expect([answer.status, answer.body.error]).toEqual([status, error])
    expect(answer.body).toMatchObject({ status_code: status, code: error, message: answer.body.error_description })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('www-authenticate')).toBeNull()
    // A refused request does not use up the code.
    expect((await redeem(service, app, code)).status).toBe(200)
  })

  test('401 with a challenge for a client that used the Authorization header', async () => {
    for (const Authorization of [`Basic ${btoa('x:y')}`, 'Basic !', 'Basic', `Bearer ${service.key}`]) {
      const { status, headers, body } = await post(service, '/oauth/token', { grant_type: 'x' }, { Authorization })
      expect([status, body.error]).toEqual([401, 'invalid_client'])
      expect(headers.get('www-authenticate')).toStartWith('Basic ')
    }
  })

  test('401 for credentials in the Authorization header that cannot be decoded', async () => {
    const texts = ['%:%zz', 'a\0b:c', `${app.app.id}:%00`, `${app.app.id}:${app.secret}\u00e9`, ':', `:${app.secret}`]
    for (const text of texts) {
      const Authorization = `Basic ${Buffer.from(text).toString('base64')}`
      const { status, body } = await post(service, '/oauth/token', { grant_type: 'x' }, { Authorization })
      expect([text, status, body.error]).toEqual([text, 401, 'invalid_client'])
    }
  })

  test('200 for a public app with its id alone, 401 when it sends a secret', async () => {
    const native = await makeApp(service, { is_public: true })
    const request = { grant_type: 'authorization_code', code_verifier: VERIFIER }
    const withSecret = await redeem(service, native, await codeOf(native), { client_secret: 'x' })
    expect([withSecret.status, withSecret.body.error]).toEqual([401, 'invalid_client'])
    const other = await redeem(service, native, await codeOf(native), { client_secret: app.secret })
    expect([other.status, other.body.error]).toEqual([401, 'invalid_client'])
    expect((await redeem(service, native, await codeOf(native))).status).toBe(200)
    const header = basic(native.app.id, '')
    const inHeader = await post(service, '/oauth/token', { ...request, code: await codeOf(native) }, header)
    expect(inHeader.status).toBe(200)
  })

  test('200 for a client id in upper case', async () => {
    const upper = { ...app, app: { ...app.app, id: app.app.id.toUpperCase() } }
    expect((await redeem(service, upper, await codeOf(upper))).status).toBe(200)
  })

  test('400 for a verifier without a challenge, and for a challenge that was sent as its own verifier', async () => {
    const without = await codeOf(app, { code_challenge: undefined, code_challenge_method: undefined })
    const sent = await redeem(service, app, without)
    expect([sent.status, sent.body.error]).toEqual([400, 'invalid_grant'])
    expect(sent.body.error_description).toContain('without a code_challenge')
    const copied = await redeem(service, app, await codeOf(), { code_verifier: s256(VERIFIER) })
    expect([copied.status, copied.body.error]).toEqual([400, 'invalid_grant'])
    const plain = await makeApp(service, { allows_plain_pkce: true })
    const challenge = { code_challenge: VERIFIER, code_challenge_method: 'plain' }
    expect((await redeem(service, plain, await codeOf(plain, challenge))).status).toBe(200)
  })

  test('400 for a client that authenticates in two ways, or repeats a parameter', async () => {
    const both = { grant_type: 'authorization_code', client_id: app.app.id, client_secret: app.secret }
    const first = await post(service, '/oauth/token', both, basic(app.app.id, app.secret))
    expect(first.body.error).toBe('invalid_request')
    const other = await post(service, '/oauth/token', { client_id: 'x' }, basic(app.app.id, app.secret))
    expect(other.body.error).toBe('invalid_request')
    const twice = await service.request('POST', '/oauth/token', 'code=a&code=b&grant_type=authorization_code', {
      key: null,
    })
    expect(twice.body).toMatchObject({ error: 'invalid_request', error_description: 'code stands more than once.' })
  })

  test.each(['{', '{"code":1}', '[]', '', 'x'])('400 for the body %j', async (text) => {
    const { status, body } = await service.request('POST', '/oauth/token', text, { key: null })
    expect([status, body.error]).toEqual([400, 'invalid_request'])
  })

  test('413 and 415 in the form of RFC 6749', async () => {
    const long = await service.request('POST', '/oauth/token', `code=${'a'.repeat(70_000)}`, { key: null })
    expect([long.status, long.body.error]).toEqual([413, 'invalid_request'])
    expect(long.body.message).toBe('The body is larger than the 16 kB allowed.')
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' }
    const parts = await service.request('POST', '/oauth/token', 'x', { key: null, headers })
    expect([parts.status, parts.body.error]).toEqual([415, 'invalid_request'])
  })

  test('429 for an address that fails too often, in the form of RFC 6749', async () => {
    const elsewhere = await makeApp(service)
    let answer = await redeem(service, elsewhere, 'x', { client_secret: 'wrong' })
    for (let failures = 1; failures < 60 && answer.status === 401; failures++) {
      answer = await redeem(service, elsewhere, 'x', { client_secret: 'wrong' })
    }
    expect([answer.status, answer.body.error]).toEqual([429, 'temporarily_unavailable'])
    expect(answer.headers.get('retry-after')).toEndWith('GMT')
    expect((await redeem(service, app, await codeOf())).status).toBe(200)
  })
})

describe('a code', () => {
  test('expires', async () => {
    service.setNow(service.appContext.now() - CODE_SECONDS * 1_000_000)
    const code = await codeOf()
    service.setNow()
    expect((await redeem(service, app, code)).body.error).toBe('invalid_grant')
  })

  test('400 when it is used again, which revokes the token that it gave', async () => {
    const { code, accessToken } = await connect(service, person, app)
    expect(await works(accessToken)).toBe(200)
    const again = await endTokens(service, () => redeem(service, app, code))
    expect([again.body.error, await works(accessToken)]).toEqual(['invalid_grant', 401])
    expect((await redeem(service, app, code)).body.error).toBe('invalid_grant')
  })

  test('200 for one of many concurrent requests', async () => {
    const code = await codeOf()
    const answers = await Promise.all(Array.from({ length: 8 }, () => redeem(service, app, code)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(7)
    const issued = await service.db.sql`
      select 1 from relata.tokens t join relata.authorization_codes c on c.grant_id = t.grant_id
      where c.code_hash = sha256(${code}::bytea)`
    expect(issued).toHaveLength(1)
  })

  test('400 for another app, and it stays valid for its own', async () => {
    const code = await codeOf()
    expect((await redeem(service, await makeApp(service), code)).body.error).toBe('invalid_grant')
    expect((await redeem(service, app, code)).status).toBe(200)
  })

  test('400 for another app after its use, and the token that it gave stays valid', async () => {
    const { code, accessToken } = await connect(service, person, app)
    expect((await redeem(service, await makeApp(service), code)).body.error).toBe('invalid_grant')
    expect(await works(accessToken)).toBe(200)
  })

  test.each(['suspended', 'member'])('400 when its member became %s', async (level) => {
    const other = await signedIn(service)
    const url = await consent(service, other, app)
    const memberId = other.memberIds[service.workspaceId] ?? ''
    await service.db.sql`update relata.workspace_members set access_level = ${level} where id = ${memberId}`
    expect((await redeem(service, app, url.searchParams.get('code') ?? '')).body.error).toBe('invalid_grant')
  })

  test('200, 400 or 401 while its app is deleted, and no token of it is valid afterwards', async () => {
    const short = await makeApp(service)
    const codes = [await codeOf(short), await codeOf(short), await codeOf(short)]
    const path = `/console/api/workspaces/${service.workspaceId}/apps/${short.app.id}`
    const deleted = person.ask('DELETE', path)
    const answers = await Promise.all(codes.map((code) => redeem(service, short, code)))
    expect((await deleted).status).toBe(200)
    for (const { status } of answers) expect([200, 400, 401]).toContain(status)
    expect(await service.db.sql`select 1 from relata.tokens where client_id = ${short.app.id}`).toHaveLength(0)
  })

  test('makes one actor for a new app in the workspace, also in concurrent requests', async () => {
    const fresh = await makeApp(service)
    const codes = [await codeOf(fresh), await codeOf(fresh), await codeOf(fresh)]
    const answers = await Promise.all(codes.map((code) => redeem(service, fresh, code)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const actors = await service.db.sql`select type, id from relata.actors where id = ${fresh.app.id}`
    expect(actors.map(({ type }) => type)).toEqual(['app'])
  })
})
