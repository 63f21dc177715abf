/** Objects, lists and attributes for tests, made over the API. */

import type { Request } from './client'

export interface AttributeInput {
  readonly api_slug: string
  readonly type: string
  readonly is_required?: boolean
  readonly is_unique?: boolean
  readonly is_multiselect?: boolean
  readonly config?: object
  readonly default_value?: unknown
  /** The titles of its options or statuses. */
  readonly choices?: readonly string[]
  /** The other side of a relationship. */
  readonly relationship?: {
    readonly object: string
    readonly title: string
    readonly api_slug: string
    readonly is_multiselect: boolean
  }
}

/** Gives the object's id. */
export async function makeObject(request: Request, slug: string, attributes: readonly AttributeInput[] = []) {
  const nouns = { singular_noun: `One ${slug}`, plural_noun: `Many ${slug}` }
  const { data } = await made(request('POST', '/v2/objects', { data: { api_slug: slug, ...nouns } }))
  for (const attribute of attributes) await makeAttribute(request, slug, attribute)
  return String(data.id.object_id)
}

/** A list that everybody may do everything with; gives its id. */
export async function makeList(
  request: Request,
  slug: string,
  attributes: readonly AttributeInput[] = [],
  parent = 'people',
): Promise<string> {
  const access = { workspace_access: 'full-access', workspace_member_access: [] }
  const list = { name: `List ${slug}`, api_slug: slug, parent_object: parent, ...access }
  const { data } = await made(request('POST', '/v2/lists', { data: list }))
  for (const attribute of attributes) await makeAttributeOf(request, `/v2/lists/${slug}`, attribute)
  return String(data.id.list_id)
}

/** Gives the attribute's id. */
export const makeAttribute = (request: Request, object: string, attribute: AttributeInput): Promise<string> =>
  makeAttributeOf(request, `/v2/objects/${object}`, attribute)

/** `owner` is the path of an object or a list. */
async function makeAttributeOf(request: Request, owner: string, attribute: AttributeInput): Promise<string> {
  const path = `${owner}/attributes`
  const { data } = await made(request('POST', path, { data: attributeBody(attribute) }))
  const kind = attribute.type === 'status' ? 'statuses' : 'options'
  for (const title of attribute.choices ?? []) {
    await made(request('POST', `${path}/${attribute.api_slug}/${kind}`, { data: { title } }))
  }
  return String(data.id.attribute_id)
}

/** A whole body from what is particular about an attribute. */
export function attributeBody({ choices: _choices, ...particulars }: AttributeInput) {
  return {
    title: `Title of ${particulars.api_slug}`,
    description: null,
    is_required: false,
    is_unique: false,
    is_multiselect: false,
    config: {},
    ...particulars,
  }
}

/** An attribute's slug and type, with what makes it more than a single optional one. */
const attribute = (api_slug: string, type: string, particulars: Partial<AttributeInput> = {}): AttributeInput => ({
  api_slug,
  type,
  ...particulars,
})

const MANY = { is_multiselect: true }
const UNIQUE = { is_unique: true }

/** One of each kind that can be created, and several values where that can be; slugs are those of the kind. */
export const EVERY_ATTRIBUTE: readonly AttributeInput[] = [
  attribute('text', 'text'),
  attribute('unique_text', 'text', UNIQUE),
  attribute('number', 'number'),
  attribute('unique_number', 'number', UNIQUE),
  attribute('checkbox', 'checkbox'),
  attribute('currency', 'currency', { config: { currency: { default_currency_code: 'EUR', display_type: 'symbol' } } }),
  attribute('date', 'date'),
  attribute('timestamp', 'timestamp'),
  attribute('unique_timestamp', 'timestamp', UNIQUE),
  attribute('rating', 'rating'),
  attribute('location', 'location'),
  attribute('status', 'status', { choices: ['To do', 'Doing', 'Done 🎉'] }),
  attribute('select', 'select', { choices: ['Low', 'Medium', 'High'] }),
  attribute('selects', 'select', { ...MANY, choices: ['Red', 'Green', 'Blue'] }),
  attribute('domain', 'domain'),
  attribute('domains', 'domain', { ...MANY, ...UNIQUE }),
  attribute('email', 'email-address'),
  attribute('emails', 'email-address', { ...MANY, ...UNIQUE }),
  attribute('phone', 'phone-number'),
  attribute('phones', 'phone-number', { ...MANY, ...UNIQUE }),
  attribute('member', 'actor-reference'),
  attribute('members', 'actor-reference', MANY),
  attribute('person', 'record-reference', { config: { record_reference: { allowed_objects: ['people'] } } }),
  attribute('company', 'record-reference', { config: { record_reference: { allowed_objects: ['companies'] } } }),
  attribute('anything', 'record-reference'),
  attribute('references', 'record-reference', MANY),
]

async function made(answer: ReturnType<Request>) {
  const { status, body } = await answer
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}
