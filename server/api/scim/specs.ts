/** The descriptions of the routes, from which the guard and the OpenAPI document are made. */

import type { ScimSpec } from '#api/http/scim/scim-endpoint'

const LIST = ['filter', 'startIndex', 'count', 'attributes', 'excludedAttributes']
const ONE = ['attributes', 'excludedAttributes']

const USER = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: 'ana@example.com',
  name: { givenName: 'Ana', familyName: 'Lima' },
  active: true,
  appRole: 'member',
}
const GROUP = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: 'Sales', members: [] }
const SEARCH = {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
  filter: 'id pr',
  startIndex: 1,
  count: 10,
}
const patchOf = (path: string, value: unknown) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', path, value }],
})

const read = (operation: string, summary: string, query?: readonly string[]): ScimSpec => ({
  operation,
  summary,
  access: 'read',
  status: 200,
  ...(query && { query }),
})
const write = (operation: string, summary: string, status: ScimSpec['status'], body?: object): ScimSpec => ({
  operation,
  summary,
  access: 'read-write',
  status,
  ...(body && { body }),
})

export const listUsersSpec = read('listScimUsers', 'Lists users', LIST)
export const searchUsersSpec: ScimSpec = { ...read('searchScimUsers', 'Searches users'), body: SEARCH }
export const createUserSpec = write('createScimUser', 'Creates a user', 201, USER)
export const getUserSpec = read('getScimUser', 'Gets a user', ONE)
export const replaceUserSpec = write('replaceScimUser', 'Replaces a user', 200, USER)
export const patchUserSpec = write('patchScimUser', 'Changes a user', 200, patchOf('name.givenName', 'Ana'))
export const deleteUserSpec = write('deleteScimUser', 'Deletes a user', 204)

export const listGroupsSpec = read('listScimGroups', 'Lists groups', LIST)
export const searchGroupsSpec: ScimSpec = { ...read('searchScimGroups', 'Searches groups'), body: SEARCH }
export const createGroupSpec = write('createScimGroup', 'Creates a group', 201, GROUP)
export const getGroupSpec = read('getScimGroup', 'Gets a group', ONE)
export const replaceGroupSpec = write('replaceScimGroup', 'Replaces a group', 200, GROUP)
export const patchGroupSpec = write('patchScimGroup', 'Changes a group', 200, patchOf('displayName', 'Sales'))
export const deleteGroupSpec = write('deleteScimGroup', 'Deletes a group', 204)

export const listSchemasSpec = read('listScimSchemas', 'Lists the schemas')
export const getSchemaSpec = read('getScimSchema', 'Gets a schema')
export const listResourceTypesSpec = read('listScimResourceTypes', 'Lists the resource types')
export const getResourceTypeSpec = read('getScimResourceType', 'Gets a resource type')
export const getConfigSpec = read('getScimServiceProviderConfig', 'Says what the service supports of SCIM')

export const bulkSpec: ScimSpec = { ...read('scimBulk', 'Is not supported'), body: {} }
export const meSpec = read('scimMe', 'Is not supported')
