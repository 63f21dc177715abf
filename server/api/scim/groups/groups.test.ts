/** See docs/reference/scim.md (Groups). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { type ScimAnswer, scimClient } from '#testing/scim'
import { useTestService } from '#testing/use-service'

const ABSENT = '11111111-1111-4111-8111-111111111111'

const service = useTestService()
const scim = scimClient(service)
let users: string[]
let invited: string
beforeAll(async () => {
  await scim.verify('acme.test')
  users = []
  for (let n = 0; n < 6; n++) users.push((await scim.create({ userName: `user-${n}@acme.test` })).body.id)
  invited = (await scim.create({ userName: 'invited@other.test' })).body.id
})

let count = 0
const group = async (members: readonly string[] = []) => {
  const displayName = `Group ${++count}`
  const { body } = await scim.ask('POST', '/Groups', { displayName, members: members.map((value) => ({ value })) })
  return { id: String(body.id), displayName }
}
const idsOf = ({ body }: Pick<ScimAnswer, 'body'>): string[] => body.members.map(({ value }) => value).toSorted()
const membersOf = async (id: string) => idsOf(await scim.ask('GET', `/Groups/${id}`))

describe('POST /scim/v2/Groups', () => {
  test('201 with the members, each once', async () => {
    const members = [users[0], users[0]?.toUpperCase(), invited].map((value) => ({ value }))
    const { status, headers, body } = await scim.ask('POST', '/Groups', { displayName: '  Sales ', members })
    expect([status, body.displayName]).toEqual([201, 'Sales'])
    expect(headers.get('Location')).toBe(`http://localhost:8080/scim/v2/Groups/${body.id}`)
    expect(body.members).toContainEqual({
      value: users[0] ?? '',
      $ref: `/scim/v2/Users/${users[0]}`,
      display: 'Ana Lima',
    })
    expect(idsOf({ body })).toEqual([users[0] ?? '', invited].toSorted())
    expect(body.meta).toMatchObject({ resourceType: 'Group', location: headers.get('Location') })
  })

  test('409 for the name of another group in any case', async () => {
    const { displayName } = await group()
    const { status, body } = await scim.ask('POST', '/Groups', { displayName: displayName.toUpperCase() })
    expect([status, body.scimType]).toEqual([409, 'uniqueness'])
  })

  const refused: [what: string, body: object][] = [
    ['no name', {}],
    ['an empty name', { displayName: '  ' }],
    ['a name of another type', { displayName: 1 }],
    ['a long name', { displayName: 'x'.repeat(201) }],
    ['a member who does not exist', { displayName: 'New', members: [{ value: ABSENT }] }],
    ['a member without a UUID', { displayName: 'New', members: [{ value: 'x' }] }],
    ['a group as a member', { displayName: 'New', members: [{ value: ABSENT, type: 'Group' }] }],
    ['members of another shape', { displayName: 'New', members: { some: 'thing' } }],
    ['null as members', { displayName: 'New', members: null }],
  ]
  test.each(refused)('400 for %s, which leaves no group', async (_, body) => {
    const { status, body: error } = await scim.ask('POST', '/Groups', body)
    expect([status, error.scimType]).toEqual([400, 'invalidValue'])
    expect((await scim.ask('GET', '/Groups?filter=displayName eq "new"')).body.totalResults).toBe(0)
  })
})

describe('PUT and DELETE', () => {
  test('200 without members leaves them, an empty array removes them, a list replaces them', async () => {
    const { id } = await group(users.slice(0, 2))
    const renamed = await scim.ask('PUT', `/Groups/${id}`, { displayName: 'Put once', id: ABSENT, meta: {} })
    expect([renamed.status, renamed.body.id, renamed.body.displayName]).toEqual([200, id, 'Put once'])
    expect(idsOf(renamed)).toEqual(users.slice(0, 2).toSorted())
    const members = users.slice(1, 3).map((value) => ({ value }))
    expect(idsOf(await scim.ask('PUT', `/Groups/${id}`, { displayName: 'Put once', members }))).toEqual(
      users.slice(1, 3).toSorted(),
    )
    const { body } = await scim.ask('GET', `/Groups/${id}`)
    expect((await scim.ask('PUT', `/Groups/${id}`, body)).body).toEqual(body)
    expect(idsOf(await scim.ask('PUT', `/Groups/${id}`, { displayName: 'Put once', members: [] }))).toEqual([])
  })

  test('204 for DELETE; the users remain', async () => {
    const { id } = await group(users)
    expect((await scim.ask('DELETE', `/Groups/${id}`)).status).toBe(204)
    expect((await scim.ask('DELETE', `/Groups/${id}`)).status).toBe(404)
    expect((await scim.ask('GET', `/Users/${users[0]}`)).body.active).toBe(true)
  })
})

describe('PATCH /scim/v2/Groups/{id}', () => {
  const [first, second, third] = [0, 1, 2] as const
  const list = (...numbers: number[]) => numbers.map((n) => ({ value: users[n] }))
  /** The operation on a group of the first two users, and the users afterwards. */
  const cases: [what: string, operation: () => object, after: number[]][] = [
    ['Okta adds', () => ({ op: 'add', path: 'members', value: list(third) }), [0, 1, 2]],
    ['one who is a member already', () => ({ op: 'add', path: 'members', value: list(first) }), [0, 1]],
    ['Entra adds', () => ({ op: 'Add', path: 'members', value: list(third) }), [0, 1, 2]],
    ['an object', () => ({ op: 'add', path: 'members', value: { value: users[2] } }), [0, 1, 2]],
    ['without a path', () => ({ op: 'add', value: { members: list(third) } }), [0, 1, 2]],
    ['an empty list', () => ({ op: 'add', path: 'members', value: [] }), [0, 1]],
    ['Okta removes', () => ({ op: 'remove', path: `members[value eq "${users[0]}"]` }), [1]],
    [
      'with a URN',
      () => ({ op: 'remove', path: `urn:ietf:params:scim:schemas:core:2.0:Group:members[value eq "${users[0]}"]` }),
      [1],
    ],
    ['Entra removes', () => ({ op: 'Remove', path: 'members', value: list(first) }), [1]],
    ['an empty list of removed ones', () => ({ op: 'remove', path: 'members', value: [] }), [0, 1]],
    ['one who is no member', () => ({ op: 'remove', path: 'members', value: list(third) }), [0, 1]],
    ['one who does not exist', () => ({ op: 'remove', path: `members[value eq "${ABSENT}"]` }), [0, 1]],
    ['all', () => ({ op: 'remove', path: 'members' }), []],
    ['another list', () => ({ op: 'replace', path: 'members', value: list(second, third) }), [1, 2]],
    ['another list without a path', () => ({ op: 'replace', value: { MEMBERS: list(third) } }), [2]],
    ['no one', () => ({ op: 'replace', path: 'members', value: [] }), []],
    ['an unknown attribute', () => ({ op: 'replace', path: 'description', value: 'x' }), [0, 1]],
  ]
  test.each(cases)('200: %s', async (_, operation, after) => {
    const { id } = await group(users.slice(0, 2))
    const answer = await scim.patch(`/Groups/${id}`, [operation()])
    expect([answer.status, idsOf(answer)]).toEqual([200, after.map((n) => users[n] ?? '').toSorted()])
  })

  const mistakes: [operation: object, scimType: string][] = [
    [{ op: 'replace', path: 'members' }, 'invalidValue'],
    [{ op: 'replace', path: 'members', value: null }, 'invalidValue'],
    [{ op: 'replace', path: 'members', value: { id: 'x' } }, 'invalidValue'],
    [{ op: 'remove', path: 'members', value: null }, 'invalidValue'],
    [{ op: 'remove', path: 'members', value: [{}] }, 'invalidValue'],
    [{ op: 'replace', value: { members: null } }, 'invalidValue'],
    [{ op: 'replace', value: ['x'] }, 'invalidValue'],
    [{ op: 'add', path: 'members', value: [{ value: ABSENT }] }, 'invalidValue'],
    [{ op: 'remove' }, 'noTarget'],
    [{ op: 'remove', path: 'members[value co "x"]' }, 'invalidFilter'],
    [{ op: 'remove', path: 'members[value eq' }, 'invalidPath'],
    [{ op: 'replace', path: 'members..value', value: 'x' }, 'invalidPath'],
    [{ op: 'move', path: 'members' }, 'invalidSyntax'],
  ]
  test.each(mistakes)('400 for %j, which changes nothing', async (operation, scimType) => {
    const { id, displayName } = await group(users.slice(0, 2))
    const renaming = { op: 'replace', path: 'displayName', value: 'Half done' }
    const { status, body } = await scim.patch(`/Groups/${id}`, [renaming, operation])
    expect([status, body.scimType]).toEqual([400, scimType])
    expect(await membersOf(id)).toEqual(users.slice(0, 2).toSorted())
    expect((await scim.ask('GET', `/Groups/${id}`)).body.displayName).toBe(displayName)
  })

  test('200 for members that are added and removed at the same time', async () => {
    const { id } = await group()
    const adding = users.map((value) =>
      scim.patch(`/Groups/${id}`, [{ op: 'add', path: 'members', value: [{ value }] }]),
    )
    expect((await Promise.all(adding)).map(({ status }) => status)).toEqual(users.map(() => 200))
    expect(await membersOf(id)).toEqual(users.toSorted())
    const removing = users
      .slice(1)
      .map((value) => scim.patch(`/Groups/${id}`, [{ op: 'remove', path: `members[value eq "${value}"]` }]))
    await Promise.all(removing)
    expect(await membersOf(id)).toEqual(users.slice(0, 1))
  })

  test('400 for too many operations and members, and for none', async () => {
    const { id } = await group()
    const operation = { op: 'replace', path: 'title', value: 'x' }
    const many = await scim.patch(
      `/Groups/${id}`,
      Array.from({ length: 1_001 }, () => operation),
    )
    expect([many.status, many.body.scimType]).toEqual([400, 'tooMany'])
    expect((await scim.patch(`/Groups/${id}`, [])).body.scimType).toBe('invalidSyntax')
    const value = Array.from({ length: 10_001 }, () => ({ value: ABSENT }))
    const { status } = await scim.patch(`/Groups/${id}`, [{ op: 'add', path: 'members', value }])
    expect(status).toBe(400)
  })

  test('the group of a deleted invitation loses it', async () => {
    const { body } = await scim.create({ userName: 'leaves@other.test' })
    const { id } = await group([body.id])
    await scim.ask('DELETE', `/Users/${body.id}`)
    expect(await membersOf(id)).toEqual([])
  })
})
