import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { revokeToken } from '#access/tokens/tokens'
import { testService, type TestService } from '#testing/service'

let service: TestService
let begun: number
beforeAll(async () => {
  begun = Date.now() / 1000
  service = await testService()
})
afterAll(() => service.close())

const self = (authorization?: string) =>
  service.request('GET', '/v2/self', undefined, {
    key: null,
    headers: authorization === undefined ? {} : { Authorization: authorization },
  })

describe('GET /v2/self', () => {
  test('200 with the workspace, scopes and member of a valid token', async () => {
    const { status, body } = await self(`Bearer ${service.key}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      active: true,
      token_type: 'Bearer',
      exp: null,
      iss: 'relata.com',
      sub: service.workspaceId,
      workspace_id: service.workspaceId,
      workspace_name: 'Workspace 1',
      workspace_slug: 'workspace-1',
      workspace_logo_url: null,
      authorized_by_workspace_member_id: service.member.id,
    })
    expect(body.aud).toBe(body.client_id)
    expect(body.iat).toBeWithin(Math.floor(begun), Date.now() / 1000 + 1)
    expect(body.scope).toStartWith('user_management:read-write record_permission:read-write ')
  })

  test('200 for a token in Basic, in any case of the scheme', async () => {
    expect((await self(`basic ${btoa(`${service.key}:`)}`)).body.active).toBe(true)
    expect((await self(`bEaReR ${service.key}`)).body.active).toBe(true)
  })

  test('200 naming scopes in their order, without read scopes that read-write scopes include', async () => {
    const key = await service.keyWith(['note:read', 'record_permission:read', 'record_permission:read-write'])
    expect((await self(`Bearer ${key}`)).body.scope).toBe('record_permission:read-write note:read')
  })

  test('200 with only active: false for unknown, revoked and expired tokens', async () => {
    expect((await self(`Bearer ${'0'.repeat(64)}`)).body).toEqual({ active: false })

    const revoked = await service.keyWith([])
    const [row] = await service.db.sql`select id from relata.tokens where hint = ${revoked.slice(-4)}`
    await revokeToken(service.db, service.workspaceId, row?.id, service.appContext.now())
    expect((await self(`Bearer ${revoked}`)).body).toEqual({ active: false })

    const expired = await service.keyWith([])
    await service.db
      .sql`update relata.tokens set expires_at = now() - interval '1 second' where hint = ${expired.slice(-4)}`
    expect((await self(`Bearer ${expired}`)).body).toEqual({ active: false })
  })

  test.each([undefined, '', 'Bearer', 'Bearer short', 'Bearer  ', 'Digest x', 'Basic !', `Bearer ${'0'.repeat(65)}`])(
    '400 missing_value for %p',
    async (authorization) => {
      const { status, body } = await self(authorization)
      expect([status, body.code]).toEqual([400, 'missing_value'])
      expect(body.message).toContain('was not recognised')
    },
  )
})
