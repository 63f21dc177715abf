/** What identity providers read to learn what the service supports. RFC 7644, 4. */

import type { AppContext } from '#context'
import { scimResourceNotFound } from '#base/errors/protocols/scim'
import { SCIM_PATH } from '#api/http/scim/scim-response'
import { MAX_COUNT } from '#api/scim/limits'
import { renderScimList } from '#api/scim/lists/list-query'
import { urlOfResource } from '#api/scim/scim-context'
import { type Schema, SCHEMAS } from './schemas'

type Settings = Pick<AppContext, 'settings'>

const SCHEMA_OF_SCHEMAS = 'urn:ietf:params:scim:schemas:core:2.0:Schema'
const SCHEMA_OF_TYPES = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType'
const SCHEMA_OF_CONFIG = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'

export const listSchemas = (settings: Settings) =>
  renderScimList(
    1,
    SCHEMAS.length,
    SCHEMAS.map((schema) => renderSchema(settings, schema)),
  )

/** Throws 404. */
export function getSchema(settings: Settings, id: string): object {
  const schema = SCHEMAS.find((each) => each.id.toLowerCase() === id.toLowerCase())
  if (schema === undefined) throw scimResourceNotFound('Schema', id)
  return renderSchema(settings, schema)
}

const renderSchema = (settings: Settings, schema: Schema) => ({
  schemas: [SCHEMA_OF_SCHEMAS],
  ...schema,
  meta: { resourceType: 'Schema', location: urlOfResource(settings, 'Schemas', schema.id) },
})

export const listResourceTypes = (settings: Settings) =>
  renderScimList(
    1,
    SCHEMAS.length,
    SCHEMAS.map((schema) => renderResourceType(settings, schema)),
  )

/** Throws 404. */
export function getResourceType(settings: Settings, name: string): object {
  const schema = SCHEMAS.find((each) => each.name.toLowerCase() === name.toLowerCase())
  if (schema === undefined) throw scimResourceNotFound('ResourceType', name)
  return renderResourceType(settings, schema)
}

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
  filter: { supported: true, maxResults: MAX_COUNT },
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
