import { beforeAll, describe, expect, test } from 'bun:test'
import { signedIn, type Person } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const admin = usePerson(service)
let path: string
beforeAll(async () => {
  path = `/console/api/workspaces/${service.workspaceId}`
})

const open = (person: Person, slug: string) => person.ask('POST', '/console/api/workspaces', { name: 'Second', slug })

describe('POST /console/api/workspaces', () => {
  test('200 with a further workspace, whose admin is the account', async () => {
    const { status, body } = await open(admin, 'second')
    expect([status, body.data]).toMatchObject([200, { name: 'Second', slug: 'second', access_level: 'admin' }])
    const { workspaces } = (await admin.ask('GET', '/console/api/session')).body.data
    expect(workspaces).toContainEqual(body.data)
    const objects = (id: string) => admin.ask('GET', '/console/v2/objects', undefined, id)
    expect((await objects(body.data.id)).body.data).toHaveLength(5)
    expect((await objects(service.workspaceId)).body.data).not.toEqual((await objects(body.data.id)).body.data)
  })

  test('409 for the slug of another workspace, and nothing is created; 400 for an invalid slug; 403 for an account that is no admin', async () => {
    const count = async () => (await service.db.sql`select 1 from relata.workspaces`).length
    const before = await count()
    expect((await open(admin, 'workspace-1')).body.code).toBe('slug_conflict')
    for (const slug of ['', 'A', 'a--b', '-a', 'a b', 'x'.repeat(61)])
      expect((await open(admin, slug)).status).toBe(400)
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    expect((await open(member, 'third')).status).toBe(403)
    expect(await count()).toBe(before)
  })
})

describe('PATCH /console/api/workspaces/:workspace_id', () => {
  test('200, and the API shows the change immediately', async () => {
    const logo_url = 'https://example.com/logo.png'
    const change = { name: 'Renamed', slug: 'renamed', logo_url }
    const { status, body } = await admin.ask('PATCH', path, change)
    expect([status, body.data]).toEqual([
      200,
      {
        id: service.workspaceId,
        ...change,
        creates_contacts: true,
        stores_email_texts: false,
        fetches_pictures: true,
        fetches_company_logos: false,
        shown_objects: [],
        member_permissions: ['connected_accounts'],
        default_country: null,
      },
    ])
    expect((await admin.ask('GET', path)).body).toEqual(body)
    const self = (await service.request('GET', '/v2/self')).body
    expect([self.workspace_name, self.workspace_slug, self.workspace_logo_url]).toEqual([
      'Renamed',
      'renamed',
      logo_url,
    ])
    expect((await admin.ask('PATCH', path, { logo_url: null })).body.data.logo_url).toBeNull()
    expect((await admin.ask('PATCH', path, { creates_contacts: false })).body.data).toMatchObject({
      name: 'Renamed',
      creates_contacts: false,
    })
    expect((await admin.ask('PATCH', path, { default_country: 'GB' })).body.data.default_country).toBe('GB')
    expect((await admin.ask('PATCH', path, { default_country: null })).body.data.default_country).toBeNull()
  })

  test('200 ignores members that are no settings', async () => {
    const { id, slug } = (await admin.ask('GET', path)).body.data
    const change = {
      name: 'Kept',
      id: crypto.randomUUID(),
      number: 999,
      secret: 'x',
      deleted_at: '2020-01-01',
      a: { b: 1 },
    }
    expect((await admin.ask('PATCH', path, change)).body.data).toMatchObject({ id, slug, name: 'Kept' })
    expect((await service.request('GET', '/v2/self')).body.workspace_name).toBe('Kept')
  })

  test.each([
    [{}, 400],
    [{ name: ' ' }, 400],
    [{ slug: 'A' }, 400],
    [{ creates_contacts: 'off' }, 400],
    [{ default_country: 'gb' }, 400],
    [{ default_country: 'ZZ' }, 400],
    [{ default_country: 44 }, 400],
    [{ logo_url: 'http://example.com/a.png' }, 400],
    [{ logo_url: 'javascript:alert(1)' }, 400],
    [{ slug: 'taken' }, 409],
  ])('for %j: %p', async (body, status) => {
    await open(admin, 'taken')
    expect((await admin.ask('PATCH', path, body)).status).toBe(status)
  })
})
