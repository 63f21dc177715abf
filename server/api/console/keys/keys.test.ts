import { beforeAll, describe, expect, test } from 'bun:test'
import { createApp } from '../../../app'
import { createClient, type Client } from '#testing/client'
import { signedIn, type Person } from '#testing/people'
import { until } from '#testing/until'
import { useTestService } from '#testing/use-service'

const service = useTestService()
/** A second service on the same database. */
let elsewhere: Client
let admin: Person
let path: string
beforeAll(async () => {
  elsewhere = createClient(createApp(service.appContext), '')
  admin = await signedIn(service)
  path = `/console/api/workspaces/${service.workspaceId}/keys`
})

const make = async (scopes = ['object_configuration:read']) =>
  (await admin.ask('POST', path, { name: 'Reporting', scopes })).body.data

/** Returns the status of each service for the key. */
const statuses = async (key: string) => [
  (await service.request('GET', '/v2/objects', undefined, { key })).status,
  (await elsewhere('GET', '/v2/objects', undefined, { key })).status,
]

/** Each service learns of a change by a notification. */
const bothAnswer = (status: number, key: string): Promise<void> =>
  until(async () => (await statuses(key)).every((each) => each === status))

describe('POST …/keys', () => {
  test('200 with a valid key, which is shown only once', async () => {
    const { token, ...key } = await make()
    expect(key).toEqual({
      id: expect.any(String),
      name: 'Reporting',
      scopes: ['object_configuration:read'],
      hint: token.slice(-4),
      created_at: expect.stringMatching(/\d{9}Z$/),
      last_used_at: null,
      created_by: {
        workspace_member_id: admin.memberIds[service.workspaceId],
        first_name: 'Person',
        last_name: expect.any(String),
      },
    })
    expect(await statuses(token)).toEqual([200, 200])
    const { data } = (await admin.ask('GET', path)).body
    expect(data[0]).toMatchObject({ id: key.id })
    expect(JSON.stringify(data)).not.toContain(token)
    const { body } = await service.request('GET', '/v2/self', undefined, { key: token })
    expect(body.authorized_by_workspace_member_id).toBe(admin.memberIds[service.workspaceId])
  })

  test.each([
    [{ name: 'X', scopes: [] }],
    [{ name: 'X', scopes: ['everything'] }],
    [{ name: 'X', scopes: ['note:read', 'note:read'] }],
    [{ name: '', scopes: ['note:read'] }],
    [{ name: 'a\nb', scopes: ['note:read'] }],
    [{ scopes: ['note:read'] }],
  ])('400 for %j', async (body) => expect((await admin.ask('POST', path, body)).status).toBe(400))
})

describe('PATCH …/keys/:key_id', () => {
  test('200 with other scopes, which take effect in every service', async () => {
    const { id, token } = await make()
    expect(await statuses(token)).toEqual([200, 200])
    const { status, body } = await admin.ask('PATCH', `${path}/${id}`, { scopes: ['note:read'] })
    expect([status, body.data.scopes, body.data.name, body.data.token]).toEqual([
      200,
      ['note:read'],
      'Reporting',
      undefined,
    ])
    await bothAnswer(403, token)
    expect((await admin.ask('PATCH', `${path}/${id}`, { name: 'Notes' })).body.data.name).toBe('Notes')
    expect((await admin.ask('PATCH', `${path}/${id}`, {})).status).toBe(400)
  })
})

describe('DELETE …/keys/:key_id', () => {
  test('200, then 404; every service refuses the key', async () => {
    const { id, token } = await make()
    expect(await statuses(token)).toEqual([200, 200])
    expect((await admin.ask('DELETE', `${path}/${id}`)).status).toBe(200)
    await bothAnswer(401, token)
    expect((await admin.ask('DELETE', `${path}/${id}`)).status).toBe(404)
    expect((await admin.ask('PATCH', `${path}/${id}`, { name: 'X' })).status).toBe(404)
    const { data } = (await admin.ask('GET', path)).body
    expect(data.map((key: { id: string }) => key.id)).not.toContain(id)
  })

  test('404 for a key of another workspace', async () => {
    const { workspaceId } = await service.anotherWorkspace()
    const [row] = await service.db.sql`select id from relata.tokens where workspace_id = ${workspaceId}`
    expect((await admin.ask('DELETE', `${path}/${row?.id}`)).status).toBe(404)
  })
})

describe('two services on one database', () => {
  test('both refuse a session that ended in one', async () => {
    const person = await signedIn(service)
    const ask = () => elsewhere('GET', '/console/api/sessions', undefined, { key: null, headers: person.headers })
    expect((await ask()).status).toBe(200)
    await person.ask('POST', '/console/api/sign-out')
    expect((await ask()).status).toBe(401)
  })
})
