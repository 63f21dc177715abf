/** Tokens that act for one member. See docs/reference/access-and-oauth.md (Token levels). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { authorizeQuery, connect, consent, makeApp, post, redeem, showConsent, type TestApp } from '#testing/oauth'
import { type Person, signedIn } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'
import { READ_WRITE_SCOPES } from '#vocabulary/scopes'

const service = useTestService()
const admin = usePerson(service)
const member = usePerson(service, 'member')
let app: TestApp
beforeAll(async () => {
  app = await makeApp(service, { scopes: [...READ_WRITE_SCOPES], uses_refresh_tokens: true })
  await permit(['api_keys'])
})

const permit = (member_permissions: readonly string[]) =>
  admin.ask('PATCH', `/console/api/workspaces/${service.workspaceId}`, { member_permissions })
const idOf = ({ memberIds }: Person): string => memberIds[service.workspaceId] ?? ''

/** A token that acts for the person. */
async function tokenOf(person: Person, of = app) {
  const url = await consent(service, person, of, { query: { token_level: 'user' } })
  const { body } = await redeem(service, of, url.searchParams.get('code') ?? '')
  return body as { access_token: string; refresh_token: string }
}
const ask = (key: string, method: string, path: string, body?: unknown) => service.request(method, path, body, { key })

describe('a token of the level user', () => {
  test('200 at /v2/self with its level, its member, and the scopes that the member has as well', async () => {
    const { access_token } = await tokenOf(member)
    const { body } = await ask(access_token, 'GET', '/v2/self')
    expect(body).toMatchObject({
      active: true,
      token_level: 'user',
      client_id: app.app.id,
      authorized_by_workspace_member_id: idOf(member),
    })
    expect(body.scope.split(' ')).toContain('record_permission:read-write')
    expect(body.scope.split(' ')).toContain('object_configuration:read')
    expect(body.scope.split(' ')).not.toContain('object_configuration:read-write')
    expect((await ask(service.key, 'GET', '/v2/self')).body.token_level).toBe('workspace')
  })

  test('200 for a write, whose actor is the member', async () => {
    const { access_token } = await tokenOf(member)
    const values = { name: [{ first_name: 'Ada', last_name: 'Lovelace', full_name: 'Ada Lovelace' }] }
    const { status, body } = await ask(access_token, 'POST', '/v2/objects/people/records', { data: { values } })
    expect(status).toBe(200)
    expect(body.data.values.created_by[0]).toMatchObject({
      referenced_actor_type: 'workspace-member',
      referenced_actor_id: idOf(member),
    })
  })

  test('403 with the missing scope for what its member may not do', async () => {
    const { access_token } = await tokenOf(member)
    const data = { api_slug: 'ships', singular_noun: 'Ship', plural_noun: 'Ships' }
    const { status, body } = await ask(access_token, 'POST', '/v2/objects', { data })
    expect([status, body.code, body.required_scopes]).toEqual([
      403,
      'unauthorized',
      ['object_configuration:read-write'],
    ])
    const ofAdmin = await tokenOf(admin)
    expect((await ask(ofAdmin.access_token, 'POST', '/v2/objects', { data })).status).toBe(200)
  })

  test('has the lists of its member, also without the scopes of collections', async () => {
    const list = (api_slug: string, of: Person) => ({
      name: api_slug,
      api_slug,
      parent_object: 'people',
      workspace_access: null,
      workspace_member_access: [{ workspace_member_id: idOf(of), level: 'full-access' }],
    })
    await ask(service.key, 'POST', '/v2/lists', { data: list('of_the_member', member) })
    await ask(service.key, 'POST', '/v2/lists', { data: list('of_the_admin', admin) })
    const { access_token } = await tokenOf(member)
    const { body } = await ask(access_token, 'GET', '/v2/lists')
    expect(body.data.map(({ api_slug }: { api_slug: string }) => api_slug)).toEqual(['of_the_member'])
    expect((await ask(access_token, 'GET', '/v2/lists/of_the_admin')).status).toBe(404)
  })

  test.each([
    ['GET', '/v2/meetings'],
    ['GET', '/v2/emails'],
    ['GET', '/v2/webhooks'],
    ['POST', '/v2/webhooks'],
    ['GET', '/v2/test_endpoints'],
    ['GET', `/v2/webhooks/${crypto.randomUUID()}/deliveries`],
    ['GET', `/v2/meetings/${crypto.randomUUID()}/call_recordings/${crypto.randomUUID()}/transcript`],
    ['GET', '/scim/v2/Users'],
  ])('403 for %s %s, an operation for tokens of the workspace', async (method, path) => {
    const { access_token } = await tokenOf(admin)
    const { status, body } = await ask(access_token, method, path, method === 'POST' ? {} : undefined)
    expect(status).toBe(403)
    expect(body.message ?? body.detail).toContain('requires a token of the workspace')
  })

  test('403 for the deletion of a comment that another member wrote', async () => {
    const person = await ask(service.key, 'POST', '/v2/objects/people/records', { data: { values: {} } })
    const { record_id } = person.body.data.id
    const comment = async (key: string, author: Person) => {
      const data = { format: 'plaintext', content: 'Hello', author: { type: 'workspace-member', id: idOf(author) } }
      const { body } = await ask(key, 'POST', '/v2/comments', {
        data: { ...data, record: { object: 'people', record_id } },
      })
      return body.data.id.comment_id
    }
    const { access_token } = await tokenOf(member)
    const others = await comment(service.key, admin)
    const refused = await ask(access_token, 'DELETE', `/v2/comments/${others}`)
    expect([refused.status, refused.body.code]).toEqual([403, 'unauthorized'])
    const own = await comment(access_token, member)
    expect((await ask(access_token, 'DELETE', `/v2/comments/${own}`)).status).toBe(200)
    expect((await ask(service.key, 'DELETE', `/v2/comments/${others}`)).status).toBe(200)
  })

  test('does not see the idempotent answers of another member', async () => {
    const headers = { 'Idempotency-Key': 'same-for-both' }
    const create = async (person: Person) => {
      const { access_token: key } = await tokenOf(person)
      const answer = await service.request(
        'POST',
        '/v2/objects/people/records',
        { data: { values: {} } },
        { key, headers },
      )
      return answer.body.data.id.record_id
    }
    expect(await create(member)).not.toBe(await create(admin))
  })

  test('keeps its level when it is refreshed', async () => {
    const { refresh_token } = await tokenOf(member)
    const { body } = await post(service, '/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token,
      client_id: app.app.id,
      client_secret: app.secret,
    })
    const self = await ask(body.access_token, 'GET', '/v2/self')
    expect(self.body).toMatchObject({ token_level: 'user', authorized_by_workspace_member_id: idOf(member) })
  })

  test('401 and inactive from the suspension of its member until the end of it', async () => {
    const other = await signedIn(service, { [service.workspaceId]: 'member' })
    const { access_token } = await tokenOf(other)
    const path = `/console/api/workspaces/${service.workspaceId}/members/${idOf(other)}`
    const suspended = await admin.ask('PATCH', path, { access_level: 'suspended' })
    expect(suspended.status).toBe(200)
    expect((await ask(access_token, 'GET', '/v2/objects')).status).toBe(401)
    expect((await ask(access_token, 'GET', '/v2/self')).body).toEqual({ active: false })
    await admin.ask('PATCH', path, { access_level: 'member' })
    expect((await ask(access_token, 'GET', '/v2/objects')).status).toBe(200)
  })
})

describe('the consent to a token that acts for a member', () => {
  test('is for admins, and for members who may have API keys', async () => {
    const query = authorizeQuery(app, { token_level: 'user' })
    expect((await showConsent(member, query)).workspaces).toHaveLength(1)
    expect((await showConsent(member, authorizeQuery(app))).workspaces).toHaveLength(0)
    await permit([])
    const { token_level, workspaces } = await showConsent(member, query)
    expect([token_level, workspaces.length]).toEqual(['user', 0])
    const url = await consent(service, member, app, { query: { token_level: 'user' } })
    expect(url.searchParams.get('error')).toBe('access_denied')
    await permit(['api_keys'])
  })

  test('400 for another level', async () => {
    const url = await member.ask('GET', `/console/api/authorize?${authorizeQuery(app, { token_level: 'robot' })}`)
    expect(url.status).toBe(400)
  })

  test('ends with its revocation by the member, whom other grants are not shown', async () => {
    const ofMember = await tokenOf(member)
    const { accessToken } = await connect(service, admin, app)
    const grants = `/console/api/workspaces/${service.workspaceId}/grants`
    const own: { id: string; level: string; workspace_member_id: string }[] = (await member.ask('GET', grants)).body
      .data
    expect(
      own.every(({ level, workspace_member_id }) => level === 'user' && workspace_member_id === idOf(member)),
    ).toBe(true)
    const all: { id: string; level: string }[] = (await admin.ask('GET', grants)).body.data
    const ofWorkspace = all.find(({ level }) => level === 'workspace')?.id ?? ''
    expect((await member.ask('DELETE', `${grants}/${ofWorkspace}`)).status).toBe(404)
    for (const { id } of own) expect((await member.ask('DELETE', `${grants}/${id}`)).status).toBe(200)
    expect((await ask(accessToken, 'GET', '/v2/objects')).status).toBe(200)
    expect((await ask(ofMember.access_token, 'GET', '/v2/objects')).status).toBe(401)
  })
})
