/** The descriptions of the routes, from which the guard and the OpenAPI document are made. */

import type { ScimSpec } from '#api/http/scim/describe-route'

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

export const listUsers = read('listScimUsers', 'Lists users', LIST)
export const searchUsers: ScimSpec = { ...read('searchScimUsers', 'Searches users'), body: SEARCH }
export const createUser = write('createScimUser', 'Creates a user', 201, USER)
export const getUser = read('getScimUser', 'Gets a user', ONE)
export const replaceUser = write('replaceScimUser', 'Replaces a user', 200, USER)
export const patchUser = write('patchScimUser', 'Changes a user', 200, patchOf('name.givenName', 'Ana'))
export const deleteUser = write('deleteScimUser', 'Deletes a user', 204)

export const listGroups = read('listScimGroups', 'Lists groups', LIST)
export const searchGroups: ScimSpec = { ...read('searchScimGroups', 'Searches groups'), body: SEARCH }
export const createGroup = write('createScimGroup', 'Creates a group', 201, GROUP)
export const getGroup = read('getScimGroup', 'Gets a group', ONE)
export const replaceGroup = write('replaceScimGroup', 'Replaces a group', 200, GROUP)
export const patchGroup = write('patchScimGroup', 'Changes a group', 200, patchOf('displayName', 'Sales'))
export const deleteGroup = write('deleteScimGroup', 'Deletes a group', 204)

export const listSchemas = read('listScimSchemas', 'Lists the schemas')
export const getSchema = read('getScimSchema', 'Gets a schema')
export const listResourceTypes = read('listScimResourceTypes', 'Lists the resource types')
export const getResourceType = read('getScimResourceType', 'Gets a resource type')
export const getConfig = read('getScimServiceProviderConfig', 'Says what the service supports of SCIM')

export const bulk: ScimSpec = { ...read('scimBulk', 'Is not supported'), body: {} }
export const me = read('scimMe', 'Is not supported')
