/**
 * Compares the attributes of the standard objects with the tables of the reference.
 * See docs/reference/objects-and-attributes.md (Standard objects).
 */

import { describe, expect, test } from 'bun:test'
import { slugOf, titleOf } from '#testing/answer-shapes'
import { useTestService } from '#testing/use-service'

const service = useTestService()

const SOCIAL = `angellist | AngelList | text |
    facebook | Facebook | text |
    instagram | Instagram | text |
    linkedin | LinkedIn | text |
    twitter | Twitter | text |
    twitter_follower_count | Twitter follower count | number | RO`

const COMMUNICATION = `first_calendar_interaction | First calendar interaction | interaction | RO
    last_calendar_interaction | Last calendar interaction | interaction | RO
    next_calendar_interaction | Next calendar interaction | interaction | RO
    first_email_interaction | First email interaction | interaction | RO
    last_email_interaction | Last email interaction | interaction | RO
    first_interaction | First interaction | interaction | RO
    last_interaction | Last interaction | interaction | RO
    next_interaction | Next interaction | interaction | RO
    strongest_connection_strength_legacy | Connection strength (legacy) | number | RO
    strongest_connection_strength | Connection strength | select | RO
    strongest_connection_user | Strongest connection | actor-reference | RO`

/** slug | title | type | traits: R required, U unique, M multiselect, RO read-only; → target, ↔ other side. */
const TABLES: Record<string, string> = {
  people: `
    record_id | Record ID | text | RO U
    name | Name | personal-name |
    email_addresses | Email addresses | email-address | U M
    description | Description | text |
    company | Company | record-reference | → companies ↔ team
    job_title | Job title | text |
    avatar_url | Avatar URL | text | RO
    phone_numbers | Phone numbers | phone-number | M
    primary_location | Primary location | location |
    ${SOCIAL}
    ${COMMUNICATION}
    associated_deals | Associated deals | record-reference | M → deals ↔ associated_people
    associated_users | Associated users | record-reference | M → users ↔ person
    created_at | Created at | timestamp | RO
    created_by | Created by | actor-reference | RO
    phone_calls | Phone calls | record-reference | M → phone_calls ↔ people`,
  companies: `
    record_id | Record ID | text | RO U
    domains | Domains | domain | U M
    name | Name | text |
    description | Description | text |
    team | Team | record-reference | M → people ↔ company
    categories | Categories | select | M
    primary_location | Primary location | location |
    logo_url | Logo URL | text | RO
    ${SOCIAL}
    estimated_arr_usd | Estimated ARR | select |
    funding_raised_usd | Funding raised | currency |
    foundation_date | Foundation date | date |
    employee_range | Employee range | select |
    ${COMMUNICATION}
    associated_deals | Associated deals | record-reference | M → deals ↔ associated_company
    associated_workspaces | Associated workspaces | record-reference | M → workspaces ↔ company
    associated_users | Associated users | record-reference | M → users
    created_at | Created at | timestamp | RO
    created_by | Created by | actor-reference | RO
    phone_calls | Phone calls | record-reference | M → phone_calls ↔ companies`,
  deals: `
    record_id | Record ID | text | RO U
    name | Deal name | text | R
    stage | Deal stage | status | R
    owner | Deal owner | actor-reference | R
    value | Deal value | currency |
    associated_people | Associated people | record-reference | M → people ↔ associated_deals
    associated_company | Associated company | record-reference | → companies ↔ associated_deals
    created_at | Created at | timestamp | RO
    created_by | Created by | actor-reference | RO`,
  users: `
    record_id | Record ID | text | RO U
    person | Person | record-reference | → people ↔ associated_users
    primary_email_address | Primary email address | email-address | R U
    user_id | ID | text | R U
    workspace | Workspaces | record-reference | M → workspaces ↔ users
    created_at | Created at | timestamp | RO
    created_by | Created by | actor-reference | RO`,
  workspaces: `
    record_id | Record ID | text | RO U
    workspace_id | ID | text | R U
    name | Name | text |
    users | Users | record-reference | M → users ↔ workspace
    company | Company | record-reference | → companies ↔ associated_workspaces
    avatar_url | Avatar URL | text |
    created_at | Created at | timestamp | RO
    created_by | Created by | actor-reference | RO`,
}

const DEFAULTS: Record<string, unknown> = {
  created_at: { type: 'dynamic', template: 'PT0S' },
  created_by: { type: 'dynamic', template: 'current-user' },
}

const rows = Object.entries(TABLES).flatMap(([object, table]) =>
  table
    .trim()
    .split('\n')
    .map((line) => {
      const [slug = '', title = '', type = '', traits = ''] = line.split('|').map((cell) => cell.trim())
      return { object, slug, title, type, traits: traits.split(' ') }
    }),
)

const after = (traits: string[], mark: string) => traits[traits.indexOf(mark) + 1]

const attributesOf = async (object: string) =>
  (await service.request('GET', `/v2/objects/${object}/attributes`)).body.data

describe('GET /v2/objects/{object}/attributes', () => {
  test.each(Object.keys(TABLES))('200 with the attributes of %s in their order', async (object) => {
    const slugs = rows.filter((row) => row.object === object).map(({ slug }) => slug)
    expect((await attributesOf(object)).map(slugOf)).toEqual(slugs)
  })

  test.each(rows)('200 with $object.$slug', async ({ object, slug, title, type, traits }) => {
    const attribute = (await attributesOf(object)).find((each: { api_slug: string }) => each.api_slug === slug)
    expect(attribute).toMatchObject({
      title,
      type,
      description: null,
      is_system_attribute: true,
      is_archived: false,
      is_writable: !traits.includes('RO'),
      is_required: traits.includes('R'),
      is_unique: traits.includes('U'),
      is_multiselect: traits.includes('M'),
      is_default_value_enabled: slug in DEFAULTS || traits.includes('R'),
      default_value: DEFAULTS[slug] ?? null,
    })
    const objects = (await service.request('GET', '/v2/objects')).body.data
    const activities = (await service.request('GET', '/v2/activities')).body.data
    const target = [...objects, ...activities].find(
      (each: { api_slug: string }) => each.api_slug === after(traits, '→'),
    )
    expect(attribute.config.record_reference.allowed_object_ids).toEqual(
      traits.includes('→') ? [target.id.object_id ?? target.id.activity_id] : null,
    )
    const dollars = { default_currency_code: 'USD', display_type: 'symbol' }
    expect(attribute.config.currency).toEqual(
      type === 'currency' ? dollars : { default_currency_code: null, display_type: null },
    )
    if (!traits.includes('↔')) return expect(attribute.relationship).toBeNull()
    const kind = target.id.activity_id === undefined ? 'objects' : 'activities'
    const partners = (await service.request('GET', `/v2/${kind}/${target.api_slug}/attributes`)).body.data
    const partner = partners.find((each: { api_slug: string }) => each.api_slug === after(traits, '↔'))
    const { id, title: partnerTitle, api_slug, is_multiselect } = partner
    const relationship = { id, title: partnerTitle, api_slug, is_multiselect, object_slug: target.api_slug }
    expect(attribute.relationship).toEqual(relationship)
  })
})

describe('GET …/options and …/statuses', () => {
  const OPTIONS: [string, string, string[]][] = [
    ['people', 'strongest_connection_strength', ['Very weak', 'Weak', 'Good', 'Strong', 'Very strong']],
    ['companies', 'strongest_connection_strength', ['Very weak', 'Weak', 'Good', 'Strong', 'Very strong']],
    [
      'companies',
      'employee_range',
      ['1-10', '11-50', '51-250', '251-1K', '1K-5K', '5K-10K', '10K-50K', '50K-100K', '100K+'],
    ],
    [
      'companies',
      'estimated_arr_usd',
      '<$1M, $1M-$10M, $10M-$50M, $50M-$100M, $100M-$250M, $250M-$500M, $500M-$1B, $1B-$10B, $10B+'.split(', '),
    ],
  ]

  test.each(OPTIONS)('200 with the options of %s.%s', async (object, attribute, titles) => {
    const { body } = await service.request('GET', `/v2/objects/${object}/attributes/${attribute}/options`)
    expect(body.data.map(titleOf)).toEqual(titles)
  })

  test('200 with about a hundred categories', async () => {
    const { body } = await service.request('GET', '/v2/objects/companies/attributes/categories/options')
    const titles = body.data.map(titleOf)
    expect(titles).toContain('Aerospace & Defense')
    expect(titles).toContain('Biotechnology')
    expect(titles).toContain('3D Printing')
    expect(titles.length).toBeGreaterThan(90)
    expect(new Set(titles.map((title: string) => title.toLowerCase())).size).toBe(titles.length)
  })

  interface Stage {
    readonly title: string
    readonly is_archived: boolean
    readonly celebration_enabled: boolean
    readonly target_time_in_status: string | null
  }

  test('200 with the stages of deals; the stage Won has is_celebrating', async () => {
    const { body } = await service.request('GET', '/v2/objects/deals/attributes/stage/statuses')
    const stages = body.data.map(({ title, is_archived, celebration_enabled, target_time_in_status }: Stage) => [
      title,
      is_archived,
      celebration_enabled,
      target_time_in_status,
    ])
    expect(stages).toEqual([
      ['Lead', false, false, null],
      ['In Progress', false, false, null],
      ['Won 🎉', false, true, null],
      ['Lost', false, false, null],
    ])
  })
})

describe('updated_at and updated_by', () => {
  test('200 with both after created_by when the workspace shows them', async () => {
    const { workspaceId, key } = await service.anotherWorkspace()
    await service.request('POST', '/v2/objects/users/attributes', { data: custom }, { key })
    const slugs = async () => {
      const { body } = await service.request('GET', '/v2/objects/users/attributes', undefined, { key })
      return body.data.map(slugOf).slice(-5)
    }
    expect(await slugs()).toEqual(['user_id', 'workspace', 'created_at', 'created_by', 'nickname'])
    expect((await service.request('GET', '/v2/objects/users/attributes/updated_at', undefined, { key })).status).toBe(
      404,
    )
    await service.db.sql`update relata.workspaces set shows_updated_at = true where id = ${workspaceId}`
    await service.appContext.models.reload(workspaceId)
    expect(await slugs()).toEqual(['created_at', 'created_by', 'updated_at', 'updated_by', 'nickname'])
    const path = '/v2/objects/users/attributes/updated_at'
    const { body } = await service.request('GET', path, undefined, { key })
    expect(body.data).toMatchObject({ type: 'timestamp', is_system_attribute: true, is_writable: false })
    const refused = await service.request('PATCH', path, { data: { title: 'x' } }, { key })
    expect([refused.status, refused.body.code]).toEqual([400, 'system_edit_unauthorized'])
  })

  const custom = {
    title: 'Nickname',
    description: null,
    api_slug: 'nickname',
    type: 'text',
    is_required: false,
    is_unique: false,
    is_multiselect: false,
    config: {},
  }
})
