/** PATCH and PUT of users, in the spelling of both providers. See docs/reference/scim.md (PATCH). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { type ScimBody, scimClient } from '#testing/scim'
import { signedIn } from '#testing/people'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const scim = scimClient(service)
beforeAll(async () => {
  await signedIn(service)
  await scim.verify('acme.test')
})

let count = 0
const newUser = async (): Promise<ScimBody> =>
  (await scim.create({ userName: `user-${++count}@acme.test`, externalId: 'e-1' })).body
const freshAddress = () => `fresh-${++count}@acme.test`

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User'
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** The operations, and what differs afterwards. */
const CASES: [operations: object[], after: object][] = [
  [[{ op: 'replace', value: { active: false } }], { active: false, appRole: undefined, roles: undefined }],
  [[{ op: 'Replace', path: 'active', value: 'False' }], { active: false, appRole: undefined, roles: undefined }],
  [
    [
      { op: 'Add', path: 'ACTIVE', value: 'fAlSe' },
      { op: 'Add', path: 'active', value: 'True' },
    ],
    {},
  ],
  [[{ op: 'replace', path: 'name.givenName', value: 'Anna' }], { name: { givenName: 'Anna', familyName: 'Lima' } }],
  [[{ op: 'add', path: 'name', value: { familyName: 'L' } }], { name: { givenName: 'Ana', familyName: 'L' } }],
  [[{ op: 'replace', value: { name: { givenName: 'A' } } }], { name: { givenName: 'A', familyName: 'Lima' } }],
  [
    [{ op: 'Replace', value: { 'name.givenName': 'A', 'name.familyName': 'B', active: 'True' } }],
    { name: { givenName: 'A', familyName: 'B' } },
  ],
  [[{ op: 'Replace', path: `${CORE}:name.familyName`, value: 'C' }], { name: { givenName: 'Ana', familyName: 'C' } }],
  [
    [{ op: 'replace', value: { [CORE]: { name: { givenName: 'D' } } } }],
    { name: { givenName: 'D', familyName: 'Lima' } },
  ],
  [[{ op: 'remove', path: 'name.familyName' }], { name: { givenName: 'Ana', familyName: '' } }],
  [[{ op: 'Remove', path: 'name.givenName' }], { name: { givenName: '', familyName: 'Lima' } }],
  [
    [
      { op: 'remove', path: 'name' },
      { op: 'add', path: 'displayName', value: 'E F' },
    ],
    { name: { givenName: 'E', familyName: 'F' } },
  ],
  [[{ op: 'replace', path: 'displayName', value: 'Not used' }], {}],
  [
    [{ op: 'replace', path: 'appRole', value: 'admin' }],
    { appRole: 'admin', roles: [{ value: 'admin', primary: true }] },
  ],
  [
    [{ op: 'Add', path: 'roles[primary eq "True"].value', value: 'admin' }],
    { appRole: 'admin', roles: [{ value: 'admin', primary: true }] },
  ],
  [
    [{ op: 'Add', path: 'roles', value: [{ value: '{"id":"7","value":"admin","displayName":"Admins"}' }] }],
    { appRole: 'admin', roles: [{ value: 'admin', primary: true }] },
  ],
  [
    [
      { op: 'replace', path: 'appRole', value: 'admin' },
      { op: 'remove', path: 'roles[value eq "member"]' },
    ],
    { appRole: 'admin', roles: [{ value: 'admin', primary: true }] },
  ],
  [
    [
      { op: 'replace', path: 'appRole', value: 'admin' },
      { op: 'Remove', path: 'roles' },
    ],
    {},
  ],
  [[{ op: 'Replace', path: 'externalId', value: 'e-2' }], { externalId: 'e-2' }],
  [[{ op: 'Remove', path: 'externalId' }], { externalId: undefined }],
  [[{ op: 'Replace', path: `${ENTERPRISE}:manager`, value: 'x' }], {}],
  [[{ op: 'Add', path: `${ENTERPRISE}:department`, value: { a: [1] } }], {}],
  [[{ op: 'Add', value: { [ENTERPRISE]: { department: 'x' }, title: 'Dr', locale: null, '1': 2 } }], {}],
  [[{ op: 'Add', path: 'phoneNumbers[type eq "work"].value', value: '1' }], {}],
  [
    [
      { op: 'Remove', path: 'addresses[type eq "home"]' },
      { op: 'remove', path: 'title' },
    ],
    {},
  ],
  [[{ op: 'Replace', path: 'emails[type eq "home"].value', value: 'home@acme.test' }], {}],
  [[{ op: 'replace', path: 'password', value: 'secret' }], {}],
  [
    [
      { op: 'replace', path: 'id', value: 'x' },
      { op: 'replace', value: { id: 'x', meta: {}, groups: [] } },
    ],
    {},
  ],
]

describe('PATCH /scim/v2/Users/{id}', () => {
  test.each(CASES)('200 for %j', async (operations, after) => {
    const before = await newUser()
    const { status, body } = await scim.patch(`/Users/${before.id}`, operations)
    const { meta, ...expected } = { ...before, ...after }
    expect(status).toBe(200)
    expect(body).toEqual({ ...expected, meta: { ...meta, lastModified: expect.any(String) } })
  })

  const ADDRESSES: [what: string, operation: (address: string) => object][] = [
    ['userName', (value) => ({ op: 'replace', path: 'userName', value })],
    ['an object', (userName) => ({ op: 'Replace', value: { UserName: userName } })],
    ['the work address', (value) => ({ op: 'Replace', path: 'emails[type eq "work"].value', value })],
    ['the primary address', (value) => ({ op: 'Add', path: 'emails[primary eq true].value', value })],
    [
      'all addresses',
      (value) => ({
        op: 'replace',
        path: 'emails',
        value: [
          { value: 'h@x.y', type: 'home' },
          { value, type: 'work' },
        ],
      }),
    ],
  ]
  test.each(ADDRESSES)(
    '200 for another address on a verified domain, by %s; the account gets it',
    async (_, operation) => {
      const { id } = await newUser()
      const address = freshAddress()
      const { status, body } = await scim.patch(`/Users/${id}`, [operation(address.toUpperCase())])
      expect([status, body.userName, body.emails[0]?.value]).toEqual([200, address, address])
      const accounts = await service.db.sql`select 1 from relata.accounts where email_address = ${address}`
      expect(accounts).toHaveLength(1)
    },
  )

  test('400 for an address from or to a domain that is not verified', async () => {
    const { id } = await newUser()
    const { id: foreign } = service.member
    for (const [user, address] of [
      [id, 'x@other.test'],
      [foreign, freshAddress()],
    ]) {
      const { status, body } = await scim.patch(`/Users/${user}`, [{ op: 'replace', path: 'userName', value: address }])
      expect([status, body.scimType]).toEqual([400, 'mutability'])
    }
    const { body: invited } = await scim.create({ userName: `invited-${++count}@other.test` })
    const { body } = await scim.ask('PUT', `/Users/${invited.id}`, { userName: freshAddress() })
    expect(body.scimType).toBe('mutability')
  })

  test('409 for the address of another user, and of an account elsewhere', async () => {
    const [one, other] = [await newUser(), await newUser()]
    const { workspaceId } = await service.anotherWorkspace()
    const person = await signedIn(service, { [workspaceId]: 'member' })
    const address = freshAddress()
    await service.db.sql`update relata.accounts set email_address = ${address} where id = ${person.accountId}`
    for (const value of [other.userName, address]) {
      const { status, body } = await scim.patch(`/Users/${one.id}`, [{ op: 'replace', path: 'userName', value }])
      expect([status, body.scimType]).toEqual([409, 'uniqueness'])
    }
  })

  const REFUSED: [operations: unknown, scimType: string][] = [
    [[{ op: 'remove', path: 'userName' }], 'mutability'],
    [[{ op: 'Remove', path: 'active' }], 'mutability'],
    [[{ op: 'remove' }], 'noTarget'],
    [[{ op: 'replace', path: 'active', value: null }], 'invalidValue'],
    [[{ op: 'replace', path: 'active' }], 'invalidValue'],
    [[{ op: 'replace', path: 'userName', value: 'no address' }], 'invalidValue'],
    [[{ op: 'replace', path: 'name', value: 'Ana' }], 'invalidValue'],
    [[{ op: 'replace', path: 'name.givenName', value: 'x'.repeat(201) }], 'invalidValue'],
    [[{ op: 'replace', path: 'externalId', value: {} }], 'invalidValue'],
    [[{ op: 'replace' }], 'invalidValue'],
    [[{ op: 'replace', path: 'emails[type eq', value: 'x' }], 'invalidPath'],
    [[{ op: 'replace', path: 'emails[type eq "work"]]', value: 'x' }], 'invalidPath'],
    [[{ op: 'replace', path: 'name givenName', value: 'x' }], 'invalidPath'],
    [[{ op: 'replace', path: '[]', value: 'x' }], 'invalidPath'],
    [[{ op: 'replace', path: 'x'.repeat(1_001), value: 'x' }], 'invalidPath'],
    [[{ op: 'replace', path: 5, value: 'x' }], 'invalidSyntax'],
    [[{ path: 'active', value: true }], 'invalidSyntax'],
    [['x'], 'invalidSyntax'],
    ['x', 'invalidSyntax'],
    [undefined, 'invalidSyntax'],
  ]
  test.each(REFUSED)('400 for %j, which changes nothing', async (operations, scimType) => {
    const { id } = await newUser()
    const before = (await scim.ask('GET', `/Users/${id}`)).body
    const renaming = { op: 'replace', path: 'name.givenName', value: 'Half done' }
    const Operations = Array.isArray(operations) ? [renaming, ...operations] : operations
    const { status, body } = await scim.ask('PATCH', `/Users/${id}`, { Operations })
    expect([status, body.scimType]).toEqual([400, scimType])
    expect((await scim.ask('GET', `/Users/${id}`)).body).toEqual(before)
  })
})

describe('PUT /scim/v2/Users/{id}', () => {
  test('200 for the echo of a GET, which changes nothing', async () => {
    const { id } = await newUser()
    const { body: before } = await scim.ask('GET', `/Users/${id}`)
    const { status, body } = await scim.ask('PUT', `/Users/${id}`, { ...before, [ENTERPRISE]: {}, password: 'x' })
    const { groups: _, ...expected } = before
    expect([status, body]).toEqual<unknown>([200, expected])
    const { body: invited } = await scim.create({ userName: `echo-${++count}@other.test`, appRole: 'admin' })
    expect((await scim.ask('PUT', `/Users/${invited.id}`, invited)).body).toEqual(invited)
  })

  test('200 for a user with less, whose role, state and external id remain', async () => {
    const { id, userName } = await newUser()
    const { body } = await scim.ask('PUT', `/Users/${id}`, {
      userName: userName.toUpperCase(),
      name: { givenName: 'Z' },
    })
    expect(body).toMatchObject({
      userName,
      name: { givenName: 'Z', familyName: '' },
      externalId: 'e-1',
      appRole: 'member',
    })
  })

  test('200 for an invitation with other names and another role', async () => {
    const { body: invited } = await scim.create({ userName: `put-${++count}@other.test` })
    const change = { userName: invited.userName, name: { givenName: 'P' }, appRole: 'admin', externalId: 'p' }
    const { body } = await scim.ask('PUT', `/Users/${invited.id}`, change)
    expect(body).toMatchObject({
      id: invited.id,
      name: { givenName: 'P', familyName: '' },
      appRole: 'admin',
      externalId: 'p',
    })
    expect((await scim.ask('PUT', `/Users/${invited.id}`, { ...change, active: 'false' })).status).toBe(204)
  })
})
