/** The life cycle of users. See docs/reference/scim.md (Users, Life cycle). */

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

const memberOf = async (id: string) => (await service.request('GET', `/v2/workspace_members/${id}`)).body.data
const createdEvents = async () =>
  (await service.events()).filter(({ event_type }) => event_type === 'workspace-member.created')

describe('POST /scim/v2/Users', () => {
  test('201 on a verified domain: a member with a new account, an event and an email', async () => {
    await service.events()
    const before = service.sentEmails.length
    const { status, headers, body } = await scim.create({ userName: 'Ana@Acme.test', externalId: 'x-1' })
    expect(status).toBe(201)
    expect(headers.get('Content-Type')).toBe('application/scim+json; charset=utf-8')
    expect(headers.get('Location')).toBe(`http://localhost:8080/scim/v2/Users/${body.id}`)
    expect(body).toEqual<unknown>({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      id: expect.any(String),
      externalId: 'x-1',
      userName: 'ana@acme.test',
      name: { givenName: 'Ana', familyName: 'Lima' },
      emails: [{ value: 'ana@acme.test', primary: true, type: 'work' }],
      active: true,
      appRole: 'member',
      roles: [{ value: 'member', primary: true }],
      profileUrl: null,
      meta: {
        resourceType: 'User',
        created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        lastModified: expect.any(String),
        location: headers.get('Location'),
      },
    })
    expect(await memberOf(body.id)).toMatchObject({ email_address: 'ana@acme.test', access_level: 'member' })
    expect((await createdEvents()).map(({ id }) => id.workspace_member_id)).toEqual([body.id])
    expect(service.sentEmails.slice(before).map(({ to }) => to)).toEqual(['ana@acme.test'])
    const replayed = await scim.create({ userName: 'ana@acme.test', externalId: 'x-1' })
    expect([replayed.status, replayed.body.scimType]).toEqual([409, 'uniqueness'])
    expect([(await createdEvents()).length, service.sentEmails.length]).toEqual([0, before + 1])
  })

  test('201 on a verified domain: an existing account is linked', async () => {
    const { workspaceId } = await service.anotherWorkspace()
    const person = await signedIn(service, { [workspaceId]: 'member' })
    await service.db.sql`update relata.accounts set email_address = 'bo@acme.test' where id = ${person.accountId}`
    const { status } = await scim.create({ userName: 'bo@acme.test' })
    expect(status).toBe(201)
    const { body } = await person.ask('GET', `/console/api/workspaces/${service.workspaceId}/members`)
    expect(body.data.map(({ email_address }: { email_address: string }) => email_address)).toContain('bo@acme.test')
  })

  test('201 on another domain: an invitation, whose id remains that of the member who accepts it', async () => {
    const { status, body } = await scim.create({ userName: 'cy@other.test', externalId: 'x-3', appRole: 'admin' })
    expect([status, body.active, body.appRole, body.externalId]).toEqual([201, true, 'admin', 'x-3'])
    expect((await service.request('GET', `/v2/workspace_members/${body.id}`)).status).toBe(404)
    const { body: group } = await scim.ask('POST', '/Groups', { displayName: 'Invited', members: [{ value: body.id }] })
    expect(group.members).toEqual([{ value: body.id, $ref: `/scim/v2/Users/${body.id}`, display: 'Ana Lima' }])
    const [email] = service.sentEmails.filter(({ to }) => to === 'cy@other.test')
    const [, token] = /invitations\/([\w-]+)/.exec(email?.text ?? '') ?? []
    const names = { first_name: 'Cy', last_name: 'Twombly', password: 'correct horse battery' }
    const path = `/console/api/invitations/${token}/accept`
    const headers = { 'Sec-Fetch-Site': 'same-origin' }
    const accepted = await service.request('POST', path, names, { key: null, headers })
    const memberId = accepted.body.data.workspace_member_id
    const read = await scim.ask('GET', `/Users/${body.id}`)
    expect(read.body).toMatchObject({ id: memberId, externalId: 'x-3', appRole: 'admin', name: { givenName: 'Cy' } })
    expect(read.body.groups).toEqual([{ value: group.id, display: 'Invited', $ref: `/scim/v2/Groups/${group.id}` }])
    const found = await scim.ask('GET', `/Users?filter=id eq "${body.id}"`)
    expect(found.body.Resources.map(({ id }) => id)).toEqual([memberId])
    const asMember = await scim.ask('GET', `/Groups?filter=id eq "${group.id}" and members eq "${body.id}"`)
    expect(asMember.body.Resources[0]?.members[0]?.value).toBe(memberId)
    const patched = await scim.patch(`/Users/${body.id}`, [{ op: 'replace', path: 'appRole', value: 'member' }])
    expect([patched.status, patched.body.id, patched.body.appRole]).toEqual([200, memberId, 'member'])
  })

  test('201 with active false on a verified domain: a suspended member, who gets an account with the activation', async () => {
    await service.events()
    const { status, body } = await scim.create({ userName: 'di@acme.test', active: false, appRole: 'admin' })
    expect([status, body.active, body.appRole, body.roles]).toEqual([201, false, undefined, undefined])
    expect((await memberOf(body.id)).access_level).toBe('suspended')
    expect((await scim.create({ userName: 'DI@acme.test' })).body.scimType).toBe('uniqueness')
    expect(await createdEvents()).toHaveLength(0)
    const { body: active } = await scim.patch(`/Users/${body.id}`, [{ op: 'Replace', path: 'active', value: 'True' }])
    expect([active.active, active.appRole]).toEqual([true, 'admin'])
    expect(await createdEvents()).toHaveLength(1)
    expect(service.sentEmails.at(-1)?.to).toBe('di@acme.test')
  })

  const refused: [what: string, body: object, scimType: string][] = [
    ['active false on another domain', { userName: 'ed@other.test', active: false }, 'invalidValue'],
    ['no userName', { userName: undefined }, 'invalidValue'],
    ['a userName that is no address', { userName: 'ed' }, 'invalidValue'],
    ['a long userName', { userName: `${'e'.repeat(320)}@acme.test` }, 'invalidValue'],
    ['a name of another type', { userName: 'ed@acme.test', name: 'Ed' }, 'invalidValue'],
    ['an active of another type', { userName: 'ed@acme.test', active: 'yes' }, 'invalidValue'],
    ['a name of several lines', { userName: 'ed@acme.test', name: { givenName: 'E\nd' } }, 'invalidValue'],
  ]
  test.each(refused)('400 for %s', async (_, user, scimType) => {
    const { status, body } = await scim.create(user)
    expect([status, body.scimType, body.status]).toEqual([400, scimType, '400'])
  })

  const names: [object, string, string][] = [
    [{ name: {}, displayName: 'Ann Marie Doe' }, 'Ann Marie', 'Doe'],
    [{ name: { formatted: 'Cher' } }, 'Cher', ''],
    [{ name: { familyName: 'Doe' }, displayName: 'Not Used' }, '', 'Doe'],
    [{ name: null, displayName: null }, '', ''],
  ]
  test.each(names)('201 with the names of %j', async (given, givenName, familyName) => {
    const { body } = await scim.create({ userName: `name-${crypto.randomUUID()}@acme.test`, ...given })
    expect(body.name).toEqual({ givenName, familyName })
  })

  const roles: [object, string][] = [
    [{ appRole: 'ADMIN' }, 'admin'],
    [{ appRole: 'owner' }, 'member'],
    [{ roles: [] }, 'member'],
    [{ roles: [{ value: 'admin', primary: true }], appRole: 'member' }, 'admin'],
    [{ roles: ['{"id":"1","value":"admin","displayName":"Admin"}'] }, 'admin'],
    [{ roles: [{ primary: 'True', value: '{"value":"admin"}' }] }, 'admin'],
    [{ ROLES: { value: '{"value":' } }, 'member'],
  ]
  test.each(roles)('201 with the role of %j', async (given, role) => {
    const { body } = await scim.create({ userName: `role-${crypto.randomUUID()}@acme.test`, ...given })
    expect(body.appRole).toBe(role)
  })
})

describe('suspension', () => {
  test('200 for active false: the sessions end, and data, keys and the role remain', async () => {
    const person = await signedIn(service, { [service.workspaceId]: 'admin' })
    const id = person.memberIds[service.workspaceId]
    const { status, body } = await scim.patch(`/Users/${id}`, [{ op: 'replace', value: { active: false } }])
    expect([status, body.active, body.appRole]).toEqual([200, false, undefined])
    expect((await person.ask('GET', '/console/v2/objects')).status).toBe(401)
    expect((await memberOf(id ?? '')).access_level).toBe('suspended')
    const again = await scim.patch(`/Users/${id}`, [{ op: 'replace', value: { active: true } }])
    expect([again.body.active, again.body.appRole]).toEqual([true, 'admin'])
    await scim.patch(`/Users/${id}`, [{ op: 'replace', value: { active: false } }])
    const asMember = await scim.ask('PUT', `/Users/${id}`, {
      userName: person.email_address,
      active: true,
      appRole: 'x',
    })
    expect(asMember.body.appRole).toBe('member')
  })

  test('a session remains for another workspace, and this one refuses it', async () => {
    const { workspaceId } = await service.anotherWorkspace()
    const person = await signedIn(service, { [service.workspaceId]: 'member', [workspaceId]: 'member' })
    await scim.patch(`/Users/${person.memberIds[service.workspaceId]}`, [{ op: 'replace', value: { active: false } }])
    expect((await person.ask('GET', '/console/v2/objects')).status).toBe(403)
    expect((await person.ask('GET', '/console/v2/objects', undefined, workspaceId)).status).toBe(200)
  })

  test('204 for active false on an invitation, whose link ends', async () => {
    const { body } = await scim.create({ userName: 'flo@other.test' })
    const [email] = service.sentEmails.filter(({ to }) => to === 'flo@other.test')
    const [, token] = /invitations\/([\w-]+)/.exec(email?.text ?? '') ?? []
    expect((await scim.patch(`/Users/${body.id}`, [{ op: 'replace', path: 'active', value: 'False' }])).status).toBe(
      204,
    )
    expect((await scim.ask('GET', `/Users/${body.id}`)).status).toBe(404)
    expect((await service.request('GET', `/console/api/invitations/${token}`, undefined, { key: null })).status).toBe(
      404,
    )
    const { body: next } = await scim.create({ userName: 'flo@other.test' })
    expect((await scim.ask('DELETE', `/Users/${next.id}`)).status).toBe(204)
    expect((await scim.ask('DELETE', `/Users/${next.id}`)).status).toBe(404)
  })

  test('an invitation is no user and no member of a group after it has expired', async () => {
    const { body } = await scim.create({ userName: 'ivo@other.test', externalId: 'x-9' })
    const members = [{ value: body.id }]
    const { body: group } = await scim.ask('POST', '/Groups', { displayName: 'Expiring', members })
    service.setNow(service.appContext.now() + 7 * 86_400 * 1_000_000)
    expect((await scim.ask('GET', `/Users/${body.id}`)).status).toBe(404)
    expect((await scim.patch(`/Users/${body.id}`, [{ op: 'replace', value: { active: false } }])).status).toBe(404)
    expect((await scim.ask('GET', '/Users?filter=userName eq "ivo@other.test"')).body.totalResults).toBe(0)
    expect((await scim.ask('GET', `/Groups/${group.id}`)).body.members).toEqual([])
    expect((await scim.ask('GET', `/Groups?filter=members eq "${body.id}"`)).body.totalResults).toBe(0)
    const added = await scim.patch(`/Groups/${group.id}`, [{ op: 'add', path: 'members', value: members }])
    expect([added.status, added.body.scimType]).toEqual([400, 'invalidValue'])
    const again = await scim.create({ userName: 'ivo@other.test' })
    expect([again.status, again.body.externalId]).toEqual([201, undefined])
    expect(again.body.id).not.toBe(body.id)
    service.setNow()
  })

  test('204 for DELETE: the user is suspended, readable by id, in no list, and can be created again', async () => {
    const { body } = await scim.create({ userName: 'gus@acme.test', appRole: 'admin' })
    expect((await scim.ask('DELETE', `/Users/${body.id}`)).status).toBe(204)
    expect((await scim.ask('DELETE', `/Users/${body.id}`)).status).toBe(204)
    expect((await scim.ask('GET', `/Users/${body.id}`)).body.active).toBe(false)
    const listed = async () => (await scim.ask('GET', '/Users?filter=userName eq "gus@acme.test"')).body.totalResults
    expect(await listed()).toBe(0)
    const again = await scim.create({ userName: 'gus@acme.test' })
    expect([again.status, again.body.id, again.body.active, again.body.appRole]).toEqual([201, body.id, true, 'member'])
    expect(await listed()).toBe(1)
  })
})
