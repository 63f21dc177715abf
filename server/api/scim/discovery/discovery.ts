/** What identity providers read to learn what the service supports. RFC 7644, 4. */

import type { AppContext } from '#context'
import { scimResourceNotFound } from '#base/errors/protocols'
import { SCIM_PATH } from '#api/http/scim/scim-endpoint'
import { SCIM_LIMITS, urlOfResource } from '#api/scim/scim-context'
import { renderScimList } from '#api/scim/lists/list-query'
import { GROUP_SCHEMA } from '#api/scim/groups/read-groups'
import { USER_SCHEMA } from '#api/scim/users/store'

type Settings = Pick<AppContext, 'settings'>

const SCHEMA_OF_SCHEMAS = 'urn:ietf:params:scim:schemas:core:2.0:Schema'
const SCHEMA_OF_TYPES = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType'
const SCHEMA_OF_CONFIG = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'

type Render = (settings: Settings, schema: Schema) => object

const renderAll = (settings: Settings, render: Render) =>
  renderScimList(
    1,
    SCHEMAS.length,
    SCHEMAS.map((schema) => render(settings, schema)),
  )

/** Renders the schema whose member has this text, in any case. Throws 404. */
function renderOne(
  settings: Settings,
  type: 'Schema' | 'ResourceType',
  by: 'id' | 'name',
  text: string,
  render: Render,
): object {
  const schema = SCHEMAS.find((each) => each[by].toLowerCase() === text.toLowerCase())
  if (schema === undefined) throw scimResourceNotFound(type, text)
  return render(settings, schema)
}

export const listSchemas = (settings: Settings) => renderAll(settings, renderSchema)

/** Throws 404. */
export const getSchema = (settings: Settings, id: string): object =>
  renderOne(settings, 'Schema', 'id', id, renderSchema)

const renderSchema = (settings: Settings, schema: Schema) => ({
  schemas: [SCHEMA_OF_SCHEMAS],
  ...schema,
  meta: { resourceType: 'Schema', location: urlOfResource(settings, 'Schemas', schema.id) },
})

export const listResourceTypes = (settings: Settings) => renderAll(settings, renderResourceType)

/** Throws 404. */
export const getResourceType = (settings: Settings, name: string): object =>
  renderOne(settings, 'ResourceType', 'name', name, renderResourceType)

const renderResourceType = (settings: Settings, { id, name, description }: Schema) => ({
  schemas: [SCHEMA_OF_TYPES],
  id: name,
  name,
  description,
  endpoint: `/${name}s`,
  schema: id,
  meta: { resourceType: 'ResourceType', location: urlOfResource(settings, 'ResourceTypes', name) },
})

export const serviceProviderConfig = ({ settings: { appUrl } }: Settings) => ({
  schemas: [SCHEMA_OF_CONFIG],
  documentationUri: `${appUrl}/docs/reference/scim`,
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: SCIM_LIMITS.pageSize },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'API key',
      description: 'An API key with the scope user_management:read-write, sent as a bearer token',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${appUrl}${SCIM_PATH}/ServiceProviderConfig` },
})

/** The schemas of users and groups. RFC 7643, 7. */
type Mutability = 'readOnly' | 'readWrite'

interface AttributeOptions {
  readonly type?: 'string' | 'boolean' | 'complex' | 'reference'
  readonly multiValued?: boolean
  readonly required?: boolean
  readonly caseExact?: boolean
  readonly mutability?: Mutability
  readonly uniqueness?: 'none' | 'server'
  readonly canonicalValues?: readonly string[]
  readonly referenceTypes?: readonly string[]
  readonly subAttributes?: readonly Attribute[]
}

interface Attribute extends AttributeOptions {
  readonly name: string
  readonly description: string
  readonly returned: string
}

const attribute = (name: string, description: string, options: AttributeOptions = {}): Attribute => ({
  name,
  description,
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...options,
})

const readOnly = { mutability: 'readOnly' } as const

export interface Schema {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly attributes: readonly Attribute[]
}

export const USER: Schema = {
  id: USER_SCHEMA,
  name: 'User',
  description: 'A member of the workspace, or an invited person',
  attributes: [
    attribute('userName', 'The email address with which the user signs in', { required: true, uniqueness: 'server' }),
    attribute('name', 'The name of the user', {
      type: 'complex',
      subAttributes: [attribute('givenName', 'The first name'), attribute('familyName', 'The last name')],
    }),
    attribute('emails', 'The email address, which is the userName', {
      type: 'complex',
      multiValued: true,
      ...readOnly,
      subAttributes: [
        attribute('value', 'The address', readOnly),
        attribute('primary', 'Always true', { type: 'boolean', ...readOnly }),
        attribute('type', 'Always "work"', readOnly),
      ],
    }),
    attribute('active', 'Whether the user has access to the workspace', { type: 'boolean' }),
    attribute('appRole', 'The role in the workspace', { canonicalValues: ['admin', 'member'] }),
    attribute('roles', 'The same role as a list', {
      type: 'complex',
      multiValued: true,
      subAttributes: [
        attribute('value', 'The role', { canonicalValues: ['admin', 'member'] }),
        attribute('primary', 'Always true', { type: 'boolean' }),
      ],
    }),
    attribute('profileUrl', 'The URL of a picture', { type: 'reference', referenceTypes: ['external'], ...readOnly }),
    attribute('groups', 'The groups of the user', {
      type: 'complex',
      multiValued: true,
      ...readOnly,
      subAttributes: [
        attribute('value', 'The id of the group', { caseExact: true, ...readOnly }),
        attribute('display', 'The name of the group', readOnly),
        attribute('$ref', 'The URL of the group', { type: 'reference', referenceTypes: ['Group'], ...readOnly }),
      ],
    }),
  ],
}

export const GROUP: Schema = {
  id: GROUP_SCHEMA,
  name: 'Group',
  description: 'A team of the workspace',
  attributes: [
    attribute('displayName', 'The name of the group', { required: true, uniqueness: 'server' }),
    attribute('members', 'The users of the group', {
      type: 'complex',
      multiValued: true,
      subAttributes: [
        attribute('value', 'The id of the user', { caseExact: true }),
        attribute('$ref', 'The URL of the user', { type: 'reference', referenceTypes: ['User'], ...readOnly }),
        attribute('display', 'The name of the user', readOnly),
      ],
    }),
  ],
}

const SCHEMAS: readonly Schema[] = [USER, GROUP]
