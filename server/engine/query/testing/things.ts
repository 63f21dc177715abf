/** An object with an attribute of every type that can be created, single and multiselect, for tests of queries. */

/** A test client. */
export type Ask = (
  method: string,
  path: string,
  body?: unknown,
  // The body depends on the request.
  // oxlint-disable-next-line typescript/no-explicit-any
) => Promise<{ status: number; body: any }>

interface AttributeSketch {
  readonly api_slug: string
  readonly type: string
  readonly is_multiselect?: boolean
  readonly is_unique?: boolean
  readonly config?: object
}

const MANY = { is_multiselect: true } as const

const ATTRIBUTES: readonly AttributeSketch[] = [
  { api_slug: 'name', type: 'text' },
  { api_slug: 'code', type: 'text', is_unique: true },
  { api_slug: 'amount', type: 'number' },
  { api_slug: 'stars', type: 'rating' },
  {
    api_slug: 'price',
    type: 'currency',
    config: { currency: { default_currency_code: 'EUR', display_type: 'symbol' } },
  },
  { api_slug: 'done', type: 'checkbox' },
  { api_slug: 'day', type: 'date' },
  { api_slug: 'moment', type: 'timestamp' },
  { api_slug: 'site', type: 'domain' },
  { api_slug: 'sites', type: 'domain', ...MANY },
  { api_slug: 'mail', type: 'email-address' },
  { api_slug: 'mails', type: 'email-address', ...MANY, is_unique: true },
  { api_slug: 'phone', type: 'phone-number' },
  { api_slug: 'phones', type: 'phone-number', ...MANY },
  { api_slug: 'place', type: 'location' },
  { api_slug: 'color', type: 'select' },
  { api_slug: 'colors', type: 'select', ...MANY },
  { api_slug: 'state', type: 'status' },
  { api_slug: 'actor', type: 'actor-reference' },
  { api_slug: 'actors', type: 'actor-reference', ...MANY },
  { api_slug: 'parent', type: 'record-reference', config: { record_reference: { allowed_objects: ['things'] } } },
  {
    api_slug: 'others',
    type: 'record-reference',
    ...MANY,
    config: { record_reference: { allowed_objects: ['people', 'companies'] } },
  },
]

export const COLORS = ['Red', 'Green', 'Blue']
export const STATES = ['Todo', 'Doing', 'Done 🎉']

/** Creates the object `things`. */
export async function createThings(ask: Ask): Promise<void> {
  await succeed(
    ask('POST', '/v2/objects', { data: { api_slug: 'things', singular_noun: 'Thing', plural_noun: 'Things' } }),
  )
  await createAttributes(ask, '/v2/objects/things')
}

/** Creates a list of things, whose entries have the attributes of things. */
export async function createListOfThings(ask: Ask, api_slug: string): Promise<void> {
  const access = { workspace_access: 'full-access', workspace_member_access: [] }
  await succeed(ask('POST', '/v2/lists', { data: { name: 'A list', api_slug, parent_object: 'things', ...access } }))
  await createAttributes(ask, `/v2/lists/${api_slug}`)
}

async function createAttributes(ask: Ask, entityType: string): Promise<void> {
  for (const attribute of ATTRIBUTES) await createAttributeOf(ask, entityType, attribute)
  for (const title of COLORS) {
    await createOption(ask, entityType, 'color', 'options', title)
    await createOption(ask, entityType, 'colors', 'options', title)
  }
  for (const title of STATES) await createOption(ask, entityType, 'state', 'statuses', title)
}

export const createThingAttribute = (
  ask: Ask,
  object: string,
  attribute: AttributeSketch & { relationship?: object },
) => createAttributeOf(ask, `/v2/objects/${object}`, attribute)

function createAttributeOf(ask: Ask, entityType: string, attribute: AttributeSketch & { relationship?: object }) {
  const data = {
    title: attribute.api_slug,
    description: null,
    is_required: false,
    is_unique: false,
    is_multiselect: false,
    config: {},
    ...attribute,
  }
  return succeed(ask('POST', `${entityType}/attributes`, { data }))
}

const createOption = (ask: Ask, entityType: string, attribute: string, kind: 'options' | 'statuses', title: string) =>
  succeed(ask('POST', `${entityType}/attributes/${attribute}/${kind}`, { data: { title } }))

/** Creates a record and returns its id. */
export async function createThing(ask: Ask, object: string, values: Record<string, unknown>): Promise<string> {
  const { data } = await succeed(ask('POST', `/v2/objects/${object}/records`, { data: { values } }))
  return data.id.record_id
}

export async function succeed(answer: ReturnType<Ask>) {
  const { status, body } = await answer
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body
}
