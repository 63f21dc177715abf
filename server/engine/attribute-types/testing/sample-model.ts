/** A small data model for tests of types: four objects, two members, and an attribute of each type on the first object. */

import {
  type Attribute,
  type DataModel,
  indexEntityTypes,
  type ObjectType,
  type Option,
} from '#engine/data-model/model'
import { buildAttribute, buildOption } from '#engine/workspaces/build-attribute'
import { TYPE_NAMES, type TypeName } from '#vocabulary/data-model'

/** Returns an id that ends with this number. */
export const id = (end: number): string => `018f0000-0000-7000-8000-${String(end).padStart(12, '0')}`

export const WORKSPACE_ID = id(1)
export const ADA = { id: id(11), actor: 5, email_address: 'Ada@Relata.dev', access_level: 'admin' } as const
export const BOB = { id: id(12), actor: 6, email_address: 'bob@relata.dev', access_level: 'member' } as const
export const KEY_ACTOR = { number: 7, id: id(13) }

const option = (number: number, title: string, rest: Partial<Option> = {}): Option => ({
  ...buildOption(number, title),
  id: id(500 + number),
  ...rest,
})

export const OPTIONS = [
  option(21, 'Lead'),
  option(22, 'In Progress', { target_time_in_status: 'P7D' }),
  option(23, 'Won 🎉', { celebration_enabled: true }),
  option(24, 'Lost', { is_archived: true }),
  option(25, 'Twin 🚀'),
  option(26, 'Twin 🌍'),
] as const

/** Returns the first object's attribute of a type, with `members` overriding its members. */
export function attribute(type: TypeName, members: Partial<Attribute> = {}): Attribute {
  const number = 100 + TYPE_NAMES.indexOf(type)
  const built = buildAttribute(
    { id: id(number), title: type, api_slug: type.replaceAll('-', '_'), type },
    { entity_type_id: id(31), number, created_at: '2025-01-01T00:00:00.000000000Z' },
  )
  return {
    ...built,
    config: type === 'currency' ? { currency: { default_currency_code: 'USD', display_type: 'symbol' } } : {},
    options: type === 'select' || type === 'status' ? OPTIONS : [],
    ...members,
  }
}

/** Returns a record-reference attribute that allows only these objects. */
export const towards = (...objects: ObjectType[]): Attribute =>
  attribute('record-reference', {
    config: { record_reference: { allowed_object_ids: objects.map((object) => object.id) } },
  })

const object = (
  number: number,
  api_slug: string,
  attributes: Attribute[],
  rest: Partial<ObjectType> = {},
): ObjectType => ({
  kind: 'object',
  id: id(number),
  number,
  api_slug,
  singular_noun: api_slug,
  plural_noun: api_slug,
  standard_slug: api_slug,
  is_enabled: true,
  created_at: '2025-01-01T00:00:00.000000000Z',
  table: `"w_1"."o_${number}"`,
  attributes: [
    attribute('text', { id: id(number * 10), api_slug: 'record_id', is_unique: true, stored_in: 'entity' }),
    ...attributes,
  ],
  ...rest,
})

const unique = (end: number, type: TypeName, api_slug: string, entityType: number): Attribute =>
  attribute(type, { id: id(end), number: end, api_slug, entity_type_id: id(entityType), is_unique: true })

export const EVERYTHING = object(
  31,
  'everything',
  TYPE_NAMES.map((type) => attribute(type)),
  { standard_slug: null },
)
export const COMPANIES = object(32, 'companies', [
  unique(321, 'domain', 'domains', 32),
  attribute('text', { id: id(322), api_slug: 'note' }),
])
export const PEOPLE = object(33, 'people', [
  unique(331, 'email-address', 'email_addresses', 33),
  unique(332, 'timestamp', 'met_at', 33),
])
export const USERS = object(34, 'users', [unique(341, 'text', 'user_id', 34)])
export const DEALS = object(35, 'deals', [], { is_enabled: false })

const entityTypes = [EVERYTHING, COMPANIES, PEOPLE, USERS, DEALS]

export const model: DataModel = {
  workspace: {
    id: WORKSPACE_ID,
    number: 1,
    slug: 'relata',
    name: 'Relata',
    logo_url: null,
    shows_updated_at: false,
    creates_contacts: false,
    stores_email_texts: false,
    fetches_pictures: true,
    fetches_company_logos: false,
    shown_objects: [],
    member_permissions: [],
    default_country: null,
  },
  version: 1,
  schema: '"w_1"',
  ...indexEntityTypes(entityTypes),
  indexes: new Set(),
  actors: new Map([
    [ADA.actor, { type: 'workspace-member', id: ADA.id }],
    [BOB.actor, { type: 'workspace-member', id: BOB.id }],
    [KEY_ACTOR.number, { type: 'api-token', id: KEY_ACTOR.id }],
  ]),
  membersById: new Map([ADA, BOB].map((member) => [member.id, member])),
  membersByEmail: new Map([ADA, BOB].map((member) => [member.email_address.toLowerCase(), member])),
  includesValues: false,
  objectsWithGrants: [],
}
