/** Filters and pages of lists. See docs/reference/scim.md (Filters, Lists). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { createMember } from '#access/members/members'
import { type ScimAnswer, scimClient } from '#testing/scim'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const scim = scimClient(service)
let ids: Record<string, string>
beforeAll(async () => {
  await scim.verify('acme.test')
  ids = {}
  for (const [name, user] of Object.entries(USERS)) ids[name] = (await scim.create(user)).body.id
  await service.db
    .sql`update relata.workspace_members set created_at = '2026-01-05T10:00:00.123456Z' where id = ${ids.ana ?? ''}`
})

const USERS = {
  ana: { userName: 'ana@acme.test', name: { givenName: 'Ana', familyName: 'Lima' }, externalId: 'E-1' },
  bo: { userName: 'bo@acme.test', name: { givenName: 'Bo "B" \\ Ö', familyName: '' }, active: false },
  cy: {
    userName: 'cy_100%@other.test',
    name: { givenName: '100%_\n'.trim(), familyName: 'Éluard' },
    externalId: 'e-1',
  },
}

/** The admin of the workspace is a user as well. */
const NAMES: Record<string, string> = {
  'admin-1@example.com': 'ada',
  'ana@acme.test': 'ana',
  'bo@acme.test': 'bo',
  'cy_100%@other.test': 'cy',
}

const find = (filter: string, how: 'get' | 'search' = 'get') =>
  how === 'get' ? scim.ask('GET', `/Users?filter=${filter}`) : scim.ask('POST', '/Users/.search', { filter })
const namesIn = ({ body }: ScimAnswer) => body.Resources.map(({ userName }) => NAMES[userName])

const FOUND: [filter: string, names: string[]][] = [
  ['userName eq "ANA@acme.test"', ['ana']],
  ['USERNAME EQ "ana@acme.test"', ['ana']],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ana@acme.test"', ['ana']],
  ['userName ne "ana@acme.test"', ['ada', 'bo', 'cy']],
  ['userName co "ACME"', ['ana', 'bo']],
  ['userName sw "cy_"', ['cy']],
  ['userName sw "c%"', []],
  ['userName co "_100%@"', ['cy']],
  ['userName ew ".TEST"', ['ana', 'bo', 'cy']],
  ['userName gt "bo@acme.test"', ['cy']],
  ['userName le "ana@acme.test"', ['ada', 'ana']],
  ['emails.value eq "bo@acme.test"', ['bo']],
  ['emails eq "bo@acme.test"', ['bo']],
  ['emails[type eq "work"].value eq "bo@acme.test"', ['bo']],
  ['emails[type eq "work" and value ew "@other.test"]', ['cy']],
  ['emails[type eq "home"].value eq "bo@acme.test"', []],
  ['emails[primary eq True].value sw "ana"', ['ana']],
  ['name.givenName eq "Bo \\"B\\" \\\\ \\u00d6"', ['bo']],
  ['name.givenName eq "bo \\"b\\" \\\\ ö"', ['bo']],
  ['name.givenName co "\\\\"', ['bo']],
  ['name.givenName eq "100%_"', ['cy']],
  ['name.familyName eq "éLUARD"', ['cy']],
  ['name.familyName pr', ['ada', 'ana', 'cy']],
  ['not (name.familyName pr)', ['bo']],
  ['externalId eq "E-1"', ['ana']],
  ['externalId pr', ['ana', 'cy']],
  ['externalId eq null', ['ada', 'bo']],
  ['externalId ne "E-1"', ['ada', 'bo', 'cy']],
  ['active eq true', ['ada', 'ana', 'cy']],
  ['active eq "False"', ['bo']],
  ['active ne False', ['ada', 'ana', 'cy']],
  ['meta.created eq "2026-01-05T10:00:00.123Z"', ['ana']],
  ['meta.created lt "2026-02-01T00:00:00Z"', ['ana']],
  ['meta.lastModified gt "2126-01-05T10:00:00Z"', []],
  ['userName sw "ana" or userName sw "bo" and active eq true', ['ana']],
  ['(userName sw "ana" or userName sw "bo") and active eq false', ['bo']],
  ['not (userName sw "ana" or userName sw "bo")', ['ada', 'cy']],
  ['id eq "not an id"', []],
  ['id pr', ['ada', 'ana', 'bo', 'cy']],
  ['id co "zz"', []],
  ['id ne "11111111-1111-4111-8111-111111111111"', ['ada', 'ana', 'bo', 'cy']],
  ['', ['ada', 'ana', 'bo', 'cy']],
]
describe('GET /scim/v2/Users and POST .search', () => {
  test.each(FOUND)('200 for %s', async (filter, names) => {
    const found = await find(filter)
    expect([found.status, namesIn(found)?.toSorted()]).toEqual([200, names])
    expect(found.body.totalResults).toBe(names.length)
    expect(namesIn(await find(filter, 'search')).toSorted()).toEqual(names)
  })

  test('200 for an id in any case', async () => {
    expect(namesIn(await find(`Id Eq "${ids.bo?.toUpperCase()}"`))).toEqual(['bo'])
  })

  const REFUSED = [
    'userName',
    'userName eq',
    'userName eq bob',
    'userName eq "a',
    'userName xx "a"',
    'userName eq "a" and',
    'userName eq "a" userName eq "b"',
    '(userName eq "a"',
    'userName eq "a")',
    'emails[type eq "work"',
    'emails[emails[type eq "work"]]',
    'nickName eq "x"',
    'userName eq 5',
    'userName eq "\\x"',
    'userName gt null',
    'active eq "maybe"',
    'active gt true',
    'id eq 5',
    'meta.created eq "yesterday"',
    'meta.created co "2026"',
    'meta.created gt "+123456-01-01T00:00:00Z"',
    'userName eq "\\u0000"',
    'userName eq "\\ud800"',
    'not userName eq "x"',
    '; drop table',
    '__proto__ eq "x"',
    `${'('.repeat(21)}id pr${')'.repeat(21)}`,
    Array.from({ length: 101 }, () => 'id pr').join(' or '),
    `userName eq "${'x'.repeat(4_000)}"`,
  ]
  test.each(REFUSED)('400 for %s', async (filter) => {
    for (const how of ['get', 'search'] as const) {
      const { status, body } = await find(filter, how)
      expect([status, body.scimType]).toEqual([400, 'invalidFilter'])
      expect(body).toMatchObject({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '400' })
    }
  })

  const PAGES: [query: string, startIndex: number, names: string[]][] = [
    ['count=2', 1, ['ana', 'ada']],
    ['startIndex=3&count=2', 3, ['bo', 'cy']],
    ['startIndex=-5&count=1', 1, ['ana']],
    ['startIndex=9', 9, []],
    ['startIndex=999999999999999999999', 1_000_000_000, []],
    ['count=0', 1, []],
    ['count=-1', 1, []],
    ['count=5000&aadOptscim062020', 1, ['ana', 'ada', 'bo', 'cy']],
  ]
  test.each(PAGES)('200 for the page %s', async (query, startIndex, names) => {
    const found = await scim.ask('GET', `/Users?${query}`)
    expect([found.body.startIndex, found.body.itemsPerPage, namesIn(found)]).toEqual([startIndex, names.length, names])
    expect(found.body.totalResults).toBe(4)
  })

  test('400 for a count that is no number', async () => {
    expect((await scim.ask('GET', '/Users?count=x')).body.scimType).toBe('invalidValue')
    expect((await scim.ask('POST', '/Users/.search', { startIndex: 1.5 })).body.scimType).toBe('invalidValue')
  })

  const PROJECTIONS: [query: string, keys: string[]][] = [
    ['attributes=userName', ['schemas', 'id', 'userName']],
    [
      'attributes=NAME.givenname,urn:ietf:params:scim:schemas:core:2.0:User:active',
      ['schemas', 'id', 'name', 'active'],
    ],
    [
      'excludedAttributes=id,emails,roles,name,meta',
      ['schemas', 'id', 'externalId', 'userName', 'active', 'appRole', 'profileUrl'],
    ],
    ['attributes=nothing', ['schemas', 'id']],
  ]
  test.each(PROJECTIONS)('200 with some attributes: %s', async (query, keys) => {
    const { body } = await scim.ask('GET', `/Users?filter=userName sw "ana"&${query}`)
    expect(Object.keys(body.Resources[0] ?? {})).toEqual(keys)
    if (keys.includes('name')) expect(body.Resources[0]?.name).toEqual({ givenName: 'Ana' })
    const [, names] = query.split('=')
    const search = { filter: 'userName sw "ana"', [query.split('=')[0] ?? '']: names?.split(',') }
    expect((await service.request('POST', '/scim/v2/Users/.search?attributes=', search)).body).toEqual(body)
  })

  test('a walk through all pages has every user once while members join', async () => {
    const seen: string[] = []
    for (let start = 1, total = 1; start <= total; start += 2) {
      const { body } = await scim.ask('GET', `/Users?startIndex=${start}&count=2`)
      total = body.totalResults
      seen.push(...body.Resources.map(({ userName }) => userName))
      if (start > 4) continue
      const names = { first_name: 'N', last_name: '', email_address: `n-${start}@x.test` }
      const { db, workspaceId, appContext } = service
      await createMember(db, workspaceId, { ...names, access_level: 'member', account_id: null }, appContext.now())
    }
    expect([seen.length, new Set(seen).size]).toEqual([6, 6])
  })
})
