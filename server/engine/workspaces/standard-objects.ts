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

const SOCIAL: readonly StandardAttribute[] = [
  { title: 'AngelList', api_slug: 'angellist', type: 'text' },
  { title: 'Facebook', api_slug: 'facebook', type: 'text' },
  { title: 'Instagram', api_slug: 'instagram', type: 'text' },
  { title: 'LinkedIn', api_slug: 'linkedin', type: 'text' },
  { title: 'Twitter', api_slug: 'twitter', type: 'text' },
  { title: 'Twitter follower count', api_slug: 'twitter_follower_count', type: 'number', ...ENRICHED_READ_ONLY },
]

const interaction = (title: string, api_slug: string): StandardAttribute => ({
  title,
  api_slug,
  type: 'interaction',
  ...ENRICHED_READ_ONLY,
})

const COMMUNICATION: readonly StandardAttribute[] = [
  interaction('First calendar interaction', 'first_calendar_interaction'),
  interaction('Last calendar interaction', 'last_calendar_interaction'),
  interaction('Next calendar interaction', 'next_calendar_interaction'),
  interaction('First email interaction', 'first_email_interaction'),
  interaction('Last email interaction', 'last_email_interaction'),
  interaction('First interaction', 'first_interaction'),
  interaction('Last interaction', 'last_interaction'),
  interaction('Next interaction', 'next_interaction'),
  {
    title: 'Connection strength (legacy)',
    api_slug: 'strongest_connection_strength_legacy',
    type: 'number',
    ...ENRICHED_READ_ONLY,
  },
  {
    title: 'Connection strength',
    api_slug: 'strongest_connection_strength',
    type: 'select',
    option_titles: ['Very weak', 'Weak', 'Good', 'Strong', 'Very strong'],
    ...ENRICHED_READ_ONLY,
  },
  {
    title: 'Strongest connection',
    api_slug: 'strongest_connection_user',
    type: 'actor-reference',
    ...ENRICHED_READ_ONLY,
  },
]

const reference = (title: string, api_slug: string, refers_to: string, mirrored_by?: string): StandardAttribute => ({
  title,
  api_slug,
  type: 'record-reference',
  refers_to,
  ...(mirrored_by === undefined ? {} : { mirrored_by }),
})

const references = (title: string, api_slug: string, refers_to: string, mirrored_by?: string): StandardAttribute => ({
  ...reference(title, api_slug, refers_to, mirrored_by),
  is_multiselect: true,
})

const people: StandardObject = {
  api_slug: 'people',
  singular_noun: 'Person',
  plural_noun: 'People',
  attributes: [
    { title: 'Name', api_slug: 'name', type: 'personal-name' },
    {
      title: 'Email addresses',
      api_slug: 'email_addresses',
      type: 'email-address',
      is_unique: true,
      is_multiselect: true,
    },
    { title: 'Description', api_slug: 'description', type: 'text' },
    reference('Company', 'company', 'companies', 'team'),
    { title: 'Job title', api_slug: 'job_title', type: 'text' },
    { title: 'Avatar URL', api_slug: 'avatar_url', type: 'text', ...READ_ONLY },
    { title: 'Phone numbers', api_slug: 'phone_numbers', type: 'phone-number', is_multiselect: true },
    { title: 'Primary location', api_slug: 'primary_location', type: 'location' },
    ...SOCIAL,
    ...COMMUNICATION,
    references('Associated deals', 'associated_deals', 'deals', 'associated_people'),
    references('Associated users', 'associated_users', 'users', 'person'),
  ],
}

const companies: StandardObject = {
  api_slug: 'companies',
  singular_noun: 'Company',
  plural_noun: 'Companies',
  attributes: [
    { title: 'Domains', api_slug: 'domains', type: 'domain', is_unique: true, is_multiselect: true },
    { title: 'Name', api_slug: 'name', type: 'text' },
    { title: 'Description', api_slug: 'description', type: 'text', ...ENRICHED },
    references('Team', 'team', 'people', 'company'),
    {
      title: 'Categories',
      api_slug: 'categories',
      type: 'select',
      is_multiselect: true,
      option_titles: COMPANY_CATEGORIES,
    },
    { title: 'Primary location', api_slug: 'primary_location', type: 'location' },
    { title: 'Logo URL', api_slug: 'logo_url', type: 'text', ...READ_ONLY },
    ...SOCIAL,
    {
      title: 'Estimated ARR',
      api_slug: 'estimated_arr_usd',
      type: 'select',
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
    },
    { title: 'Funding raised', api_slug: 'funding_raised_usd', type: 'currency', config: DOLLARS, ...ENRICHED },
    { title: 'Foundation date', api_slug: 'foundation_date', type: 'date', ...ENRICHED },
    {
      title: 'Employee range',
      api_slug: 'employee_range',
      type: 'select',
      option_titles: ['1-10', '11-50', '51-250', '251-1K', '1K-5K', '5K-10K', '10K-50K', '50K-100K', '100K+'],
      ...ENRICHED,
    },
    ...COMMUNICATION,
    references('Associated deals', 'associated_deals', 'deals', 'associated_company'),
    references('Associated workspaces', 'associated_workspaces', 'workspaces', 'company'),
    references('Associated users', 'associated_users', 'users'),
  ],
}

const deals: StandardObject = {
  api_slug: 'deals',
  singular_noun: 'Deal',
  plural_noun: 'Deals',
  attributes: [
    { title: 'Deal name', api_slug: 'name', type: 'text', is_required: true },
    {
      title: 'Deal stage',
      api_slug: 'stage',
      type: 'status',
      is_required: true,
      option_titles: ['Lead', 'In Progress', 'Won 🎉', 'Lost'],
      option_colors: ['gray', 'blue', 'green', 'pink'],
      celebrated: 'Won 🎉',
    },
    { title: 'Deal owner', api_slug: 'owner', type: 'actor-reference', is_required: true },
    { title: 'Deal value', api_slug: 'value', type: 'currency', config: DOLLARS },
    references('Associated people', 'associated_people', 'people', 'associated_deals'),
    reference('Associated company', 'associated_company', 'companies', 'associated_deals'),
  ],
}

const users: StandardObject = {
  api_slug: 'users',
  singular_noun: 'User',
  plural_noun: 'Users',
  attributes: [
    reference('Person', 'person', 'people', 'associated_users'),
    {
      title: 'Primary email address',
      api_slug: 'primary_email_address',
      type: 'email-address',
      is_required: true,
      is_unique: true,
    },
    { title: 'ID', api_slug: 'user_id', type: 'text', is_required: true, is_unique: true },
    references('Workspaces', 'workspace', 'workspaces', 'users'),
  ],
}

const workspaces: StandardObject = {
  api_slug: 'workspaces',
  singular_noun: 'Workspace',
  plural_noun: 'Workspaces',
  attributes: [
    { title: 'ID', api_slug: 'workspace_id', type: 'text', is_required: true, is_unique: true },
    { title: 'Name', api_slug: 'name', type: 'text' },
    references('Users', 'users', 'users', 'workspace'),
    reference('Company', 'company', 'companies', 'associated_workspaces'),
    { title: 'Avatar URL', api_slug: 'avatar_url', type: 'text' },
  ],
}

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
  { title: 'Entry ID', api_slug: 'entry_id', type: 'text', is_unique: true, ...STORED_IN_ENTITY },
  {
    title: 'Parent record',
    api_slug: 'parent_record',
    type: 'record-reference',
    is_required: true,
    config: { record_reference: { allowed_object_ids: parentObjectIds } },
    ...STORED_IN_ENTITY,
  },
]

export const CREATION_ATTRIBUTES: readonly AttributeSpec[] = [
  {
    title: 'Created at',
    api_slug: 'created_at',
    type: 'timestamp',
    default_value: { type: 'dynamic', template: 'PT0S' },
    ...STORED_IN_ENTITY,
  },
  {
    title: 'Created by',
    api_slug: 'created_by',
    type: 'actor-reference',
    default_value: { type: 'dynamic', template: 'current-user' },
    ...STORED_IN_ENTITY,
  },
]
