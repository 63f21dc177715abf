/** The descriptions of the routes, from which the guard and the OpenAPI document are made. */

import type { ScimSpec } from '#api/http/scim/scim-endpoint'
import { GROUP, type Schema, USER } from '#api/scim/discovery/discovery'

const LIST = ['filter', 'startIndex', 'count', 'attributes', 'excludedAttributes']
const ONE = ['attributes', 'excludedAttributes']

const USER_EXAMPLE = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: 'ana@example.com',
  name: { givenName: 'Ana', familyName: 'Lima' },
  active: true,
  appRole: 'member',
}
const GROUP_EXAMPLE = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: 'Sales', members: [] }
const SEARCH_EXAMPLE = {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
  filter: 'id pr',
  startIndex: 1,
  count: 10,
}
const patchOf = (path: string, value: unknown) => ({
  ...PATCH,
  examples: [
    { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [{ op: 'replace', path, value }] },
  ],
})

// JSON Schema of bodies and responses. Names of members are in any case in requests, and other members are ignored.

const TEXT = { type: 'string' }
const SCHEMAS = { type: 'array', items: TEXT }
const TYPES: Readonly<Record<string, object>> = {
  boolean: { type: 'boolean' },
  reference: { type: ['string', 'null'] },
}

type Attributes = Schema['attributes']

/** The members of attributes in a request, which lacks those that the service alone writes, or in a response. */
function membersOf(attributes: Attributes, use: 'request' | 'response'): Record<string, object> {
  const used = attributes.filter(
    // A property with the name `$ref` is a reference to many readers of schemas.
    ({ name, mutability }) => name !== '$ref' && (use === 'response' || mutability !== 'readOnly'),
  )
  return Object.fromEntries(
    used.map(({ name, description, type = 'string', multiValued, subAttributes, canonicalValues }) => {
      const one = subAttributes
        ? { type: 'object', properties: membersOf(subAttributes, use) }
        : { ...(TYPES[type] ?? TEXT), ...(canonicalValues && { enum: canonicalValues }) }
      return [name, { description, ...(multiValued === true ? { type: 'array', items: one } : one) }]
    }),
  )
}

const requestOf = ({ attributes }: Schema, example: object) => ({
  type: 'object',
  properties: { schemas: SCHEMAS, externalId: TEXT, ...membersOf(attributes, 'request') },
  required: attributes.filter(({ required }) => required).map(({ name }) => name),
  examples: [example],
})

const META = {
  type: 'object',
  properties: { resourceType: TEXT, created: TEXT, lastModified: TEXT, location: { type: 'string', format: 'uri' } },
}

const responseOf = ({ attributes }: Schema) => ({
  type: 'object',
  properties: { schemas: SCHEMAS, id: TEXT, externalId: TEXT, ...membersOf(attributes, 'response'), meta: META },
  required: ['schemas', 'id', 'meta', ...attributes.filter(({ required }) => required).map(({ name }) => name)],
})

const COUNT = { type: 'integer' }
const listOf = (schema: Schema) => ({
  type: 'object',
  properties: {
    schemas: SCHEMAS,
    totalResults: COUNT,
    startIndex: COUNT,
    itemsPerPage: COUNT,
    Resources: { type: 'array', items: responseOf(schema) },
  },
  required: ['schemas', 'totalResults'],
})

const SEARCH = {
  type: 'object',
  properties: {
    schemas: SCHEMAS,
    filter: TEXT,
    startIndex: COUNT,
    count: COUNT,
    attributes: SCHEMAS,
    excludedAttributes: SCHEMAS,
  },
  examples: [SEARCH_EXAMPLE],
}

const PATCH = {
  type: 'object',
  properties: {
    schemas: SCHEMAS,
    Operations: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          op: { type: 'string', description: '`add`, `replace` or `remove`, in any case.' },
          path: TEXT,
          value: { description: 'A value, several, or an object of members.' },
        },
        required: ['op'],
      },
    },
  },
  required: ['Operations'],
}

type Further = Pick<ScimSpec, 'query' | 'body' | 'response'>

const read = (operation: string, summary: string, further: Further = {}): ScimSpec => ({
  operation,
  summary,
  access: 'read',
  status: 200,
  ...further,
})
const write = (operation: string, summary: string, status: ScimSpec['status'], further: Further = {}): ScimSpec => ({
  operation,
  summary,
  access: 'read-write',
  status,
  ...further,
})

export type ResourceSpecs = ReturnType<typeof specsOf>

const specsOf = (schema: Schema, example: object, patch: object) => {
  const one = schema.name.toLowerCase()
  const response = responseOf(schema)
  const body = requestOf(schema, example)
  return {
    list: read(`listScim${schema.name}s`, `Lists ${one}s`, { query: LIST, response: listOf(schema) }),
    search: read(`searchScim${schema.name}s`, `Searches ${one}s`, { body: SEARCH, response: listOf(schema) }),
    create: write(`createScim${schema.name}`, `Creates a ${one}`, 201, { body, response }),
    get: read(`getScim${schema.name}`, `Gets a ${one}`, { query: ONE, response }),
    replace: write(`replaceScim${schema.name}`, `Replaces a ${one}`, 200, { body, response }),
    patch: write(`patchScim${schema.name}`, `Changes a ${one}`, 200, { body: patch, response }),
    delete: write(`deleteScim${schema.name}`, `Deletes a ${one}`, 204),
  }
}

export const userSpecs = specsOf(USER, USER_EXAMPLE, patchOf('name.givenName', 'Ana'))
export const groupSpecs = specsOf(GROUP, GROUP_EXAMPLE, patchOf('displayName', 'Sales'))

export const listSchemasSpec = read('listScimSchemas', 'Lists the schemas')
export const getSchemaSpec = read('getScimSchema', 'Gets a schema')
export const listResourceTypesSpec = read('listScimResourceTypes', 'Lists the resource types')
export const getResourceTypeSpec = read('getScimResourceType', 'Gets a resource type')
export const getConfigSpec = read('getScimServiceProviderConfig', 'Says what the service supports of SCIM')

export const bulkSpec = read('scimBulk', 'Is not supported', { body: { type: 'object' } })
export const meSpec = read('scimMe', 'Is not supported')
