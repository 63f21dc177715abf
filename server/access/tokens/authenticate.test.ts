import { describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'
import { until } from '#testing/until'
import { createTokenAuthenticator, readCredentials } from './authenticate'
import { hashSecret } from '#access/secrets'
import { revokeToken, TOKENS_CHANNEL } from './tokens'

const service = useTestService()

const bearer = (key: string) => `Bearer ${key}`

const rowOf = async (key: string) => {
  const [row] = await service.db.sql`select * from relata.tokens where token_hash = decode(${hashSecret(key)}, 'hex')`
  return row
}

describe('a token', () => {
  test('is stored as a hash and its last four characters', async () => {
    expect(service.key).toMatch(/^[0-9a-f]{64}$/)
    const row = await rowOf(service.key)
    expect(row?.hint).toBe(service.key.slice(-4))
    expect(JSON.stringify(row)).not.toContain(service.key)
  })

  test('is an actor of its workspace', async () => {
    const { models } = service.appContext
    const { actor, id } = (await rowOf(service.key)) ?? {}
    expect((await models.reload(service.workspaceId)).actors.get(actor)).toEqual({ type: 'api-token', id })
  })
})

describe('authenticate', () => {
  test('reads a cached token only once from the database', async () => {
    const access = createTokenAuthenticator(service.db, service.appContext.now)
    const first = access.authenticate(bearer(service.key))
    expect(first).toBeInstanceOf(Promise)
    const token = await first
    expect(access.authenticate(bearer(service.key))).toBe(token)
  })

  test('reads a token again when the cache entry is old', async () => {
    const access = createTokenAuthenticator(service.db, service.appContext.now, 0)
    await access.authenticate(bearer(service.key))
    expect(access.authenticate(bearer(service.key))).toBeInstanceOf(Promise)
  })

  test('refuses a token immediately after another process revoked it', async () => {
    const key = await service.keyWith([])
    const access = createTokenAuthenticator(service.db, service.appContext.now)
    await access.authenticate(bearer(key))
    const heard = Promise.withResolvers<void>()
    await service.db.sql.listen(TOKENS_CHANNEL, () => heard.resolve())
    expect(await revokeToken(service.db, service.workspaceId, (await rowOf(key))?.id, service.appContext.now())).toBe(
      true,
    )
    await heard.promise
    await expect((async () => access.authenticate(bearer(key)))()).rejects.toThrow('could not be found')
  })

  test('refuses a token from the time at which it expires', async () => {
    const key = await service.keyWith([])
    await service.db
      .sql`update relata.tokens set expires_at = '2030-01-01T00:00:00Z' where token_hash = decode(${hashSecret(key)}, 'hex')`
    const expiry = Date.UTC(2030, 0, 1) * 1000
    let now = expiry - 1
    const access = createTokenAuthenticator(service.db, () => now)
    expect((await access.authenticate(bearer(key))).expiresAt).toBe(expiry)
    now = expiry
    expect(() => access.authenticate(bearer(key))).toThrow('could not be found')
  })

  test('stores the time at which a token is used', async () => {
    const key = await service.keyWith([])
    const token = await createTokenAuthenticator(service.db, service.appContext.now).authenticate(bearer(key))
    await until(async () => (await rowOf(key))?.last_used_at !== null)
    expect(token.id).toBe((await rowOf(key))?.id)
  })
})

describe('revokeToken', () => {
  test('returns false for a token of another workspace, and the second time', async () => {
    const key = await service.keyWith([])
    const id = (await rowOf(key))?.id
    const other = await service.anotherWorkspace()
    const now = service.appContext.now()
    expect(await revokeToken(service.db, other.workspaceId, id, now)).toBe(false)
    expect(await revokeToken(service.db, service.workspaceId, id, now)).toBe(true)
    expect(await revokeToken(service.db, service.workspaceId, id, now)).toBe(false)
  })
})

describe('readCredentials', () => {
  const token = 'a'.repeat(64)
  const cases: [header: string | null, kind: string][] = [
    [null, 'missing'],
    ['', 'missing'],
    ['  ', 'missing'],
    [`Bearer ${token}`, 'token'],
    [`BEARER   ${token}`, 'token'],
    [`Basic ${btoa(`${token}:`)}`, 'token'],
    [`basic ${btoa(token)}`, 'token'],
    [token, 'malformed'],
    ['Bearer', 'malformed'],
    [`Bearer ${token}x`, 'malformed'],
    [`Bearer ${token.slice(1)}`, 'malformed'],
    [`Digest ${token}`, 'malformed'],
    ['Basic ???', 'malformed'],
  ]
  test.each(cases)('%p is %s', (header, kind) => {
    expect<string>(readCredentials(header).kind).toBe(kind)
  })

  test('returns the token that the bearer plugin read', () => {
    expect(readCredentials(`Bearer  ${token}`, ` ${token}`)).toEqual({ kind: 'token', token })
    expect(readCredentials('Bearer', '')).toEqual({ kind: 'malformed' })
  })
})
