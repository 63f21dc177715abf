/**
 * The attributes of the standard objects, their properties and order.
 * See docs/reference/objects-and-attributes.md (Standard objects).
 */

import { describe, expect, test } from 'bun:test'
import { forThisFile } from '../../support/service/service-per-file'
import { startService } from '../../support/service/service'
import { createRecord, expectRefusal, recordIdOf } from '../../support/fixtures/value-cases'

const service = forThisFile(() => startService())

/** Slug, type and these marks: R required, U unique, M multiselect, RO read-only, E enriched (without history). */
type Row = readonly [slug: string, type: string, marks: string, partner?: string]

const RECORD_ID: Row = ['record_id', 'text', 'RO U']
const CREATION: readonly Row[] = [
  ['created_at', 'timestamp', 'RO'],
  ['created_by', 'actor-reference', 'RO'],
]
const SOCIAL = ['angellist', 'facebook', 'instagram', 'linkedin', 'twitter'].map((slug): Row => [slug, 'text', ''])
const FOLLOWERS: Row = ['twitter_follower_count', 'number', 'RO E']
const INTERACTIONS = [
  'first_calendar_interaction',
  'last_calendar_interaction',
  'next_calendar_interaction',
  'first_email_interaction',
  'last_email_interaction',
  'first_interaction',
  'last_interaction',
  'next_interaction',
].map((slug): Row => [slug, 'interaction', 'RO E'])
const STRENGTH: readonly Row[] = [
  ['strongest_connection_strength_legacy', 'number', 'RO E'],
  ['strongest_connection_strength', 'select', 'RO E'],
  ['strongest_connection_user', 'actor-reference', 'RO E'],
]

const OBJECTS: Readonly<Record<string, { nouns: readonly [string, string]; rows: readonly Row[] }>> = {
  people: {
    nouns: ['Person', 'People'],
    rows: [
      RECORD_ID,
      ['name', 'personal-name', ''],
      ['email_addresses', 'email-address', 'U M'],
      ['description', 'text', ''],
      ['company', 'record-reference', '', 'companies.team'],
      ['job_title', 'text', ''],
      ['avatar_url', 'text', 'RO'],
      ['phone_numbers', 'phone-number', 'M'],
      ['primary_location', 'location', ''],
      ...SOCIAL,
      FOLLOWERS,
      ...INTERACTIONS,
      ...STRENGTH,
      ['associated_deals', 'record-reference', 'M', 'deals.associated_people'],
      ['associated_users', 'record-reference', 'M', 'users.person'],
      ...CREATION,
      ['phone_calls', 'record-reference', 'M', 'phone_calls.people'],
    ],
  },
  companies: {
    nouns: ['Company', 'Companies'],
    rows: [
      RECORD_ID,
      ['domains', 'domain', 'U M'],
      ['name', 'text', ''],
      ['description', 'text', 'E'],
      ['team', 'record-reference', 'M', 'people.company'],
      ['categories', 'select', 'M'],
      ['primary_location', 'location', ''],
      ['logo_url', 'text', 'RO'],
      ...SOCIAL,
      FOLLOWERS,
      ['estimated_arr_usd', 'select', 'E'],
      ['funding_raised_usd', 'currency', 'E'],
      ['foundation_date', 'date', 'E'],
      ['employee_range', 'select', 'E'],
      ...INTERACTIONS,
      ...STRENGTH,
      ['associated_deals', 'record-reference', 'M', 'deals.associated_company'],
      ['associated_workspaces', 'record-reference', 'M', 'workspaces.company'],
      ['associated_users', 'record-reference', 'M'],
      ...CREATION,
      ['phone_calls', 'record-reference', 'M', 'phone_calls.companies'],
    ],
  },
  deals: {
    nouns: ['Deal', 'Deals'],
    rows: [
      RECORD_ID,
      ['name', 'text', 'R'],
      ['stage', 'status', 'R'],
      ['owner', 'actor-reference', 'R'],
      ['value', 'currency', ''],
      ['associated_people', 'record-reference', 'M', 'people.associated_deals'],
      ['associated_company', 'record-reference', '', 'companies.associated_deals'],
      ...CREATION,
    ],
  },
  users: {
    nouns: ['User', 'Users'],
    rows: [
      RECORD_ID,
      ['person', 'record-reference', '', 'people.associated_users'],
      ['primary_email_address', 'email-address', 'R U'],
      ['user_id', 'text', 'R U'],
      ['workspace', 'record-reference', 'M', 'workspaces.users'],
      ...CREATION,
    ],
  },
  workspaces: {
    nouns: ['Workspace', 'Workspaces'],
    rows: [
      RECORD_ID,
      ['workspace_id', 'text', 'R U'],
      ['name', 'text', ''],
      ['users', 'record-reference', 'M', 'users.workspace'],
      ['company', 'record-reference', '', 'companies.associated_workspaces'],
      ['avatar_url', 'text', ''],
      ...CREATION,
    ],
  },
}

interface WireAttribute {
  readonly api_slug: string
  readonly relationship: { readonly object_slug: string; readonly api_slug: string } | null
  readonly [member: string]: unknown
}

const attributesOf = async (object: string): Promise<WireAttribute[]> =>
  (await service().request('GET', `/v2/objects/${object}/attributes`)).body.data

test('200 with all five objects in their order, created at one time', async () => {
  const { body } = await service().request('GET', '/v2/objects')
  const found = body.data.map((object: Record<string, string>) => [
    object.api_slug,
    object.singular_noun,
    object.plural_noun,
  ])
  expect(found).toEqual(Object.entries(OBJECTS).map(([slug, { nouns }]) => [slug, ...nouns]))
  expect(new Set(body.data.map(({ created_at }: { created_at: string }) => created_at)).size).toBe(1)
})

describe.each(Object.keys(OBJECTS))('%s', (object) => {
  const { nouns, rows } = OBJECTS[object] ?? { nouns: ['', ''] as const, rows: [] }

  test('200 with its attributes in their order', async () => {
    expect((await attributesOf(object)).map(({ api_slug }) => api_slug)).toEqual(rows.map(([slug]) => slug))
  })

  test.each(rows.map(([slug, type, marks, partner = '']) => [slug, type, marks, partner] as const))(
    '%s is %s %s %s',
    async (slug, type, marks, partner) => {
      const attribute = (await attributesOf(object)).find(({ api_slug }) => api_slug === slug)
      const has = (mark: string) => marks.split(' ').includes(mark)
      expect(attribute).toMatchObject({
        type,
        is_system_attribute: true,
        is_writable: !has('RO'),
        is_required: has('R'),
        is_unique: has('U'),
        is_multiselect: has('M'),
        is_archived: false,
      })
      const { relationship } = attribute ?? {}
      expect(relationship ? `${relationship.object_slug}.${relationship.api_slug}` : '').toBe(partner)
    },
  )

  test('200 for its singular as an alias in paths', async () => {
    const { body } = await service().request('GET', `/v2/objects/${nouns[0].toLowerCase()}`)
    expect(body.data.api_slug).toBe(object)
  })

  test.each(rows.filter(([, , marks]) => marks.includes('RO')).map(([slug]) => slug))(
    '400 for writing %s',
    async (slug) => {
      expectRefusal(await createRecord(service().request, object, { [slug]: 'x' }), 400, 'immutable_value', [slug])
    },
  )

  test('400 for changing, archiving or deleting system attributes', async () => {
    const { request } = service()
    const path = `/v2/objects/${object}`
    const says = ['Cannot update a System attribute']
    for (const data of [{ title: 'x' }, { is_archived: true }, { is_required: true }]) {
      expectRefusal(
        await request('PATCH', `${path}/attributes/created_at`, { data }),
        400,
        'system_edit_unauthorized',
        says,
      )
    }
    expectRefusal(await request('PATCH', path, { data: { api_slug: 'other' } }), 400, 'system_edit_unauthorized')
    expect((await request('DELETE', path)).status).toBe(400)
    expect((await request('DELETE', `${path}/attributes/record_id`)).status).toBe(400)
  })

  test('200 with the default values of created_at and created_by', async () => {
    const attributes = await attributesOf(object)
    const defaults = { created_at: 'PT0S', created_by: 'current-user' }
    for (const [slug, template] of Object.entries(defaults)) {
      expect(attributes.find(({ api_slug }) => api_slug === slug)).toMatchObject({
        is_default_value_enabled: true,
        default_value: { type: 'dynamic', template },
      })
    }
  })
})

const OPTIONS = [
  ['deals', 'stage', 'statuses', ['Lead', 'In Progress', 'Won 🎉', 'Lost']],
  ['people', 'strongest_connection_strength', 'options', ['Very weak', 'Weak', 'Good', 'Strong', 'Very strong']],
  [
    'companies',
    'employee_range',
    'options',
    ['1-10', '11-50', '51-250', '251-1K', '1K-5K', '5K-10K', '10K-50K', '50K-100K', '100K+'],
  ],
  [
    'companies',
    'estimated_arr_usd',
    'options',
    ['<$1M', '$1M-$10M', '$10M-$50M', '$50M-$100M', '$100M-$250M', '$250M-$500M', '$500M-$1B', '$1B-$10B', '$10B+'],
  ],
] as const

test.each(OPTIONS)('200 with the options of %s.%s', async (object, slug, kind, titles) => {
  const { body } = await service().request('GET', `/v2/objects/${object}/attributes/${slug}/${kind}`)
  expect(body.data.map(({ title }: { title: string }) => title)).toEqual([...titles])
})

test('200 with about a hundred titles for companies.categories', async () => {
  const { body } = await service().request('GET', '/v2/objects/companies/attributes/categories/options')
  const titles = body.data.map(({ title }: { title: string }) => title)
  expect(titles).toEqual(expect.arrayContaining(['3D Printing', 'Aerospace & Defense', 'Biotechnology']))
  expect(titles.length).toBeGreaterThan(90)
})

describe('required values', () => {
  const REQUIRED = {
    deals: { name: 'x', stage: 'Lead', owner: 'admin@relata.local' },
    users: { primary_email_address: 'u@relata.dev', user_id: 'u' },
    workspaces: { workspace_id: 'w' },
  }
  const each = Object.entries(REQUIRED).flatMap(([object, values]) =>
    Object.keys(values).map((slug) => [object, slug] as const),
  )

  test.each(each)('400 for %s without %s, naming the attribute by its id', async (object, slug) => {
    const { request } = service()
    const values = Object.fromEntries(
      Object.entries(REQUIRED[object as keyof typeof REQUIRED]).filter(([name]) => name !== slug),
    ) // its keys
    const id = (await request('GET', `/v2/objects/${object}/attributes/${slug}`)).body.data.id.attribute_id
    const says = [`Required value for attribute with ID "${id}" was not provided`]
    expectRefusal(await createRecord(request, object, values), 400, 'missing_value', says)
    expectRefusal(await createRecord(request, object, { ...values, [slug]: [] }), 400, 'missing_value', says)
  })

  test.each(Object.entries(REQUIRED))(
    '200 for %s with all of them; 400 for clearing one, 200 for writing other attributes',
    async (object, values) => {
      const { request } = service()
      const path = `/v2/objects/${object}/records/${recordIdOf(await createRecord(request, object, values))}`
      for (const slug of Object.keys(values)) {
        expectRefusal(await request('PATCH', path, { data: { values: { [slug]: [] } } }), 400, 'missing_value')
        expectRefusal(await request('PUT', path, { data: { values: { [slug]: null } } }), 400, 'missing_value')
      }
      expect((await request('PATCH', path, { data: { values: {} } })).status).toBe(200)
    },
  )

  test.each(['people', 'companies'])('200 for %s without any value', async (object) => {
    recordIdOf(await createRecord(service().request, object, {}))
  })
})
