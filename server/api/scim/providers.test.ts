/** What Okta and Entra ID send, from the connection test to the end of access. See docs/reference/scim.md (Connecting). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { signedIn } from '#testing/people'
import { scimClient } from '#testing/scim'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const scim = scimClient(service)
beforeAll(async () => {
  await signedIn(service)
  await scim.verify('acme.test')
})

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

const membersOf = async (id: string) => (await scim.ask('GET', `/Groups/${id}`)).body.members.map(({ value }) => value)

describe('Okta', () => {
  const okta = (method: string, path: string, body?: object) =>
    scim.ask(method, path, body, {
      headers: { 'User-Agent': 'Okta SCIM Client 1.0.0', 'Content-Type': 'application/scim+json; charset=utf-8' },
    })
  const profile = (userName: string) => ({
    schemas: [USER],
    userName,
    name: { givenName: 'Isaac', familyName: 'Brock' },
    emails: [{ primary: true, value: userName, type: 'work' }],
    displayName: 'Isaac Brock',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq',
    active: true,
  })

  test('tests the connection, pushes a user and a group, changes and deactivates both', async () => {
    const probe = await okta('GET', '/Users?startIndex=1&count=2')
    expect([probe.status, probe.body.itemsPerPage]).toEqual([200, 2])
    const userName = 'isaac@acme.test'
    expect((await okta('GET', `/Users?filter=userName eq "${userName}"`)).body.Resources).toEqual([])
    const created = await okta('POST', '/Users', profile(userName))
    expect([created.status, created.body.active]).toEqual([201, true])
    const { id } = created.body

    const found = await okta('GET', `/Users?filter=userName eq "${userName}"&startIndex=1&count=100`)
    const { body: linked } = await okta('GET', `/Users/${found.body.Resources[0]?.id}`)
    const change = { ...linked, name: { givenName: 'Isaak', familyName: 'Brock' }, nickName: 'Ike' }
    const updated = await okta('PUT', `/Users/${id}`, change)
    expect([updated.status, updated.body.id, updated.body.name.givenName]).toEqual([200, id, 'Isaak'])
    const promoted = await okta('PUT', `/Users/${id}`, { ...profile(userName), appRole: 'admin' })
    expect(promoted.body.appRole).toBe('admin')

    expect((await okta('GET', '/Groups?filter=displayName eq "Engineers"')).body.totalResults).toBe(0)
    const members = [{ value: id, display: userName }]
    const { body: group } = await okta('POST', '/Groups', { schemas: [GROUP], displayName: 'Engineers', members })
    const second = (await okta('POST', '/Users', profile('second@acme.test'))).body.id
    const changes: object[] = [
      { op: 'replace', value: { id: group.id, displayName: 'Engineering' } },
      { op: 'add', path: 'members', value: [{ value: second, display: 'second@acme.test' }] },
      { op: 'remove', path: `members[value eq "${id}"]` },
    ]
    for (const operation of changes)
      expect((await okta('PATCH', `/Groups/${group.id}`, { schemas: [PATCH], Operations: [operation] })).status).toBe(
        200,
      )
    expect(await membersOf(group.id)).toEqual([second])
    const put = {
      schemas: [GROUP],
      id: group.id,
      displayName: 'Engineering',
      members: [{ value: id }, { value: second }],
    }
    expect((await okta('PUT', `/Groups/${group.id}`, put)).body.members).toHaveLength(2)

    for (const active of [false, true, false, false]) {
      const operation = { op: 'replace', value: { active } }
      const { status, body } = await okta('PATCH', `/Users/${id}`, { schemas: [PATCH], Operations: [operation] })
      expect([status, body.active]).toEqual([200, active])
    }
    expect(await membersOf(group.id)).toContain(id)
    expect((await okta('DELETE', `/Groups/${group.id}`)).status).toBe(204)
    expect((await okta('GET', `/Users/${id}`)).body.groups).toEqual([])
  })

  test('imports all users and groups by pages', async () => {
    for (const kind of ['/Users', '/Groups']) {
      const seen: string[] = []
      let total = 1
      for (let start = 1; start <= total; start += 100) {
        const { body } = await okta('GET', `${kind}?startIndex=${start}&count=100`)
        total = body.totalResults
        seen.push(...body.Resources.map(({ id }) => id))
      }
      expect(new Set(seen).size).toBe(total)
    }
  })
})

describe('Entra ID', () => {
  const entra = (method: string, path: string, body?: object) =>
    scim.ask(method, path.includes('?') ? `${path}&aadOptscim062020` : `${path}?aadOptscim062020`, body)
  const patch = (path: string, ...Operations: object[]) => entra('PATCH', path, { schemas: [PATCH], Operations })

  test('tests the connection, provisions a user and a group, and removes access', async () => {
    const guid = crypto.randomUUID()
    for (const attribute of ['userName', 'Id', 'externalId']) {
      const { status, body } = await entra('GET', `/Users?filter=${attribute} eq "${guid}"`)
      expect([status, body.totalResults]).toEqual([200, 0])
    }
    const refused = await entra('POST', '/Users', { userName: 'wilma', externalId: '58342554' })
    expect([refused.status, refused.body.scimType]).toEqual([400, 'invalidValue'])

    const userName = 'Wilma@acme.test'
    const created = await entra('POST', '/Users', {
      schemas: [USER, ENTERPRISE],
      externalId: '58342554-38d6-4ec8-948c-50044d0a33fd',
      userName,
      active: true,
      displayName: 'Wilma Flint',
      emails: [{ primary: true, type: 'work', value: userName }],
      meta: { resourceType: 'User' },
      name: { formatted: 'Wilma Flint', familyName: 'Flint', givenName: 'Wilma' },
      roles: [],
      [ENTERPRISE]: { department: 'Quarry' },
    })
    const { id } = created.body
    expect([created.status, created.body.name]).toEqual([201, { givenName: 'Wilma', familyName: 'Flint' }])
    for (const filter of [
      `externalId eq "58342554-38d6-4ec8-948c-50044d0a33fd"`,
      `emails[type eq "work"].value eq "${userName}"`,
      `userName eq "${userName}"`,
    ])
      expect((await entra('GET', `/Users?filter=${filter}`)).body.Resources[0]?.id).toBe(id)

    const updated = await patch(
      `/Users/${id}`,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'Wilma.Flint@acme.test' },
      { op: 'Add', path: 'name.familyName', value: 'Flintstone' },
      { op: 'Replace', path: 'displayName', value: 'Wilma Flintstone' },
      { op: 'Add', path: `${ENTERPRISE}:manager`, value: [{ value: '1' }] },
      { op: 'Add', path: 'roles[primary eq "True"].value', value: 'admin' },
      { op: 'Replace', path: 'active', value: 'True' },
    )
    expect(updated.body).toMatchObject({
      userName: 'wilma.flint@acme.test',
      appRole: 'admin',
      name: { familyName: 'Flintstone' },
    })

    expect(
      (await entra('GET', '/Groups?excludedAttributes=members&filter=displayName eq "Quarry"')).body.totalResults,
    ).toBe(0)
    const { body: group } = await entra('POST', '/Groups', {
      schemas: [GROUP],
      externalId: 'g-1',
      displayName: 'Quarry',
      members: [],
    })
    const one = await patch(`/Groups/${group.id}`, { op: 'Add', path: 'members', value: [{ value: id }] })
    expect(one.body.members).toHaveLength(1)
    const check = await entra('GET', `/Groups?filter=id eq "${group.id}" and members eq "${id}"`)
    expect(check.body.totalResults).toBe(1)
    const without = await entra('GET', `/Groups/${group.id}?excludedAttributes=members`)
    expect(Object.keys(without.body)).not.toContain('members')
    const none = await patch(`/Groups/${group.id}`, { op: 'Remove', path: 'members', value: [{ value: id }] })
    expect(none.body.members).toEqual([])
    const repeated = await patch(`/Groups/${group.id}`, { op: 'Remove', path: 'members', value: [{ value: id }] })
    expect(repeated.status).toBe(200)
    expect((await entra('GET', `/Groups?filter=id eq "${group.id}" and members eq "${id}"`)).body.totalResults).toBe(0)

    for (let cycle = 0; cycle < 2; cycle++) {
      const { status, body } = await patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' })
      expect([status, body.active]).toEqual([200, false])
    }
    expect((await entra('DELETE', `/Users/${id}`)).status).toBe(204)
    expect((await entra('GET', '/Users?filter=userName eq "wilma.flint@acme.test"')).body.totalResults).toBe(0)
  })
})
