/** The five standard objects. Each also gets record ID, created at and created by. See docs/reference/objects-and-attributes.md (Standard objects). */

import { COMPANY_CATEGORIES } from './company-categories'
import type { AttributeSpec, StandardAttribute } from './build-attribute'

export interface StandardObject {
  readonly api_slug: string
  readonly singular_noun: string
  readonly plural_noun: string
  readonly attributes: readonly StandardAttribute[]
}

const READ_ONLY = { is_writable: false } as const

/** The system fills these attributes, so they have no history. Clients may write some of them. */
const ENRICHED = { has_history: false } as const

const ENRICHED_READ_ONLY = { ...READ_ONLY, ...ENRICHED } as const

const DOLLARS = { currency: { default_currency_code: 'USD', display_type: 'symbol' } } as const

const attribute = (
  title: string,
  api_slug: string,
  type: StandardAttribute['type'],
  settings: Omit<StandardAttribute, 'title' | 'api_slug' | 'type'> = {},
): StandardAttribute => ({ title, api_slug, type, ...settings })

const SOCIAL: readonly StandardAttribute[] = [
  attribute('AngelList', 'angellist', 'text'),
  attribute('Facebook', 'facebook', 'text'),
  attribute('Instagram', 'instagram', 'text'),
  attribute('LinkedIn', 'linkedin', 'text'),
  attribute('Twitter', 'twitter', 'text'),
  attribute('Twitter follower count', 'twitter_follower_count', 'number', ENRICHED_READ_ONLY),
]

const interaction = (title: string, api_slug: string): StandardAttribute =>
  attribute(title, api_slug, 'interaction', ENRICHED_READ_ONLY)

const COMMUNICATION: readonly StandardAttribute[] = [
  interaction('First calendar interaction', 'first_calendar_interaction'),
  interaction('Last calendar interaction', 'last_calendar_interaction'),
  interaction('Next calendar interaction', 'next_calendar_interaction'),
  interaction('First email interaction', 'first_email_interaction'),
  interaction('Last email interaction', 'last_email_interaction'),
  interaction('First interaction', 'first_interaction'),
  interaction('Last interaction', 'last_interaction'),
  interaction('Next interaction', 'next_interaction'),
  attribute('Connection strength (legacy)', 'strongest_connection_strength_legacy', 'number', ENRICHED_READ_ONLY),
  attribute('Connection strength', 'strongest_connection_strength', 'select', {
    option_titles: ['Very weak', 'Weak', 'Good', 'Strong', 'Very strong'],
    ...ENRICHED_READ_ONLY,
  }),
  attribute('Strongest connection', 'strongest_connection_user', 'actor-reference', ENRICHED_READ_ONLY),
]

const reference = (title: string, api_slug: string, refers_to: string, mirrored_by?: string): StandardAttribute =>
  attribute(title, api_slug, 'record-reference', { refers_to, ...(mirrored_by === undefined ? {} : { mirrored_by }) })

const references = (title: string, api_slug: string, refers_to: string, mirrored_by?: string): StandardAttribute => ({
  ...reference(title, api_slug, refers_to, mirrored_by),
  is_multiselect: true,
})

const standardObject = (
  api_slug: string,
  singular_noun: string,
  plural_noun: string,
  attributes: readonly StandardAttribute[],
): StandardObject => ({ api_slug, singular_noun, plural_noun, attributes })

const people = standardObject('people', 'Person', 'People', [
  attribute('Name', 'name', 'personal-name'),
  attribute('Email addresses', 'email_addresses', 'email-address', {
    is_unique: true,
    is_multiselect: true,
  }),
  attribute('Description', 'description', 'text'),
  reference('Company', 'company', 'companies', 'team'),
  attribute('Job title', 'job_title', 'text'),
  attribute('Avatar URL', 'avatar_url', 'text', READ_ONLY),
  attribute('Phone numbers', 'phone_numbers', 'phone-number', { is_multiselect: true }),
  attribute('Primary location', 'primary_location', 'location'),
  ...SOCIAL,
  ...COMMUNICATION,
  references('Associated deals', 'associated_deals', 'deals', 'associated_people'),
  references('Associated users', 'associated_users', 'users', 'person'),
])

const companies = standardObject('companies', 'Company', 'Companies', [
  attribute('Domains', 'domains', 'domain', { is_unique: true, is_multiselect: true }),
  attribute('Name', 'name', 'text'),
  attribute('Description', 'description', 'text', ENRICHED),
  references('Team', 'team', 'people', 'company'),
  attribute('Categories', 'categories', 'select', {
    is_multiselect: true,
    option_titles: COMPANY_CATEGORIES,
  }),
  attribute('Primary location', 'primary_location', 'location'),
  attribute('Logo URL', 'logo_url', 'text', READ_ONLY),
  ...SOCIAL,
  attribute('Estimated ARR', 'estimated_arr_usd', 'select', {
    option_titles: [
      '<$1M',
      '$1M-$10M',
      '$10M-$50M',
      '$50M-$100M',
      '$100M-$250M',
      '$250M-$500M',
      '$500M-$1B',
      '$1B-$10B',
      '$10B+',
    ],
    ...ENRICHED,
  }),
  attribute('Funding raised', 'funding_raised_usd', 'currency', { config: DOLLARS, ...ENRICHED }),
  attribute('Foundation date', 'foundation_date', 'date', ENRICHED),
  attribute('Employee range', 'employee_range', 'select', {
    option_titles: ['1-10', '11-50', '51-250', '251-1K', '1K-5K', '5K-10K', '10K-50K', '50K-100K', '100K+'],
    ...ENRICHED,
  }),
  ...COMMUNICATION,
  references('Associated deals', 'associated_deals', 'deals', 'associated_company'),
  references('Associated workspaces', 'associated_workspaces', 'workspaces', 'company'),
  references('Associated users', 'associated_users', 'users'),
])

const deals = standardObject('deals', 'Deal', 'Deals', [
  attribute('Deal name', 'name', 'text', { is_required: true }),
  attribute('Deal stage', 'stage', 'status', {
    is_required: true,
    option_titles: ['Lead', 'In Progress', 'Won 🎉', 'Lost'],
    option_colors: ['gray', 'blue', 'green', 'pink'],
    celebrated: 'Won 🎉',
  }),
  attribute('Deal owner', 'owner', 'actor-reference', { is_required: true }),
  attribute('Deal value', 'value', 'currency', { config: DOLLARS }),
  references('Associated people', 'associated_people', 'people', 'associated_deals'),
  reference('Associated company', 'associated_company', 'companies', 'associated_deals'),
])

const users = standardObject('users', 'User', 'Users', [
  reference('Person', 'person', 'people', 'associated_users'),
  attribute('Primary email address', 'primary_email_address', 'email-address', {
    is_required: true,
    is_unique: true,
  }),
  attribute('ID', 'user_id', 'text', { is_required: true, is_unique: true }),
  references('Workspaces', 'workspace', 'workspaces', 'users'),
])

const workspaces = standardObject('workspaces', 'Workspace', 'Workspaces', [
  attribute('ID', 'workspace_id', 'text', { is_required: true, is_unique: true }),
  attribute('Name', 'name', 'text'),
  references('Users', 'users', 'users', 'workspace'),
  reference('Company', 'company', 'companies', 'associated_workspaces'),
  attribute('Avatar URL', 'avatar_url', 'text'),
])

/** In the order of creation, which decides which side of a relationship stores the references. */
export const STANDARD_OBJECTS: readonly StandardObject[] = [people, companies, deals, users, workspaces]

/** The system attributes of objects and lists. See docs/reference/objects-and-attributes.md (System attributes). */
const STORED_IN_ENTITY = { is_system_attribute: true, is_writable: false, stored_in: 'entity' } as const

export const RECORD_ID_ATTRIBUTE: AttributeSpec = {
  title: 'Record ID',
  api_slug: 'record_id',
  type: 'text',
  is_unique: true,
  ...STORED_IN_ENTITY,
}

/** The first attributes of a list whose entries represent records of the objects. `CREATION` follows them. */
export const entrySystemAttributes = (parentObjectIds: readonly string[]): readonly AttributeSpec[] => [
  attribute('Entry ID', 'entry_id', 'text', { is_unique: true, ...STORED_IN_ENTITY }),
  attribute('Parent record', 'parent_record', 'record-reference', {
    is_required: true,
    config: { record_reference: { allowed_object_ids: parentObjectIds } },
    ...STORED_IN_ENTITY,
  }),
]

export const CREATION_ATTRIBUTES: readonly AttributeSpec[] = [
  attribute('Created at', 'created_at', 'timestamp', {
    default_value: { type: 'dynamic', template: 'PT0S' },
    ...STORED_IN_ENTITY,
  }),
  attribute('Created by', 'created_by', 'actor-reference', {
    default_value: { type: 'dynamic', template: 'current-user' },
    ...STORED_IN_ENTITY,
  }),
]
