import { type AnyElysia, Elysia } from 'elysia'
import type { TokenAuthenticator } from '#access/tokens/authenticate'
import type { AppContext } from '#context'
import { notImplemented } from '#base/errors/protocols/scim'
import { createScimEndpoint, type ScimSpec } from '#api/http/scim/scim-endpoint'
import { authenticateBy, tokenWay } from '#api/http/guard/caller'
import { SCIM_PATH } from '#api/http/scim/scim-response'
import type { Answers } from '#api/http/response/answer'
import {
  getResourceType,
  getSchema,
  listResourceTypes,
  listSchemas,
  serviceProviderConfig,
} from './discovery/discovery'
import { getGroup, listGroups, patchGroup, postGroup, putGroup, removeGroup } from './groups/operations'
import { readListQuery, readSearch } from './lists/list-query'
import { createRequestLog } from './request-log'
import * as specs from './specs'
import { getUser, listUsers, patchUser, postUser, putUser, removeUser } from './users/operations'

const USERS = `${SCIM_PATH}/Users`
const GROUPS = `${SCIM_PATH}/Groups`

export const scimRoutes = (appContext: AppContext, access: TokenAuthenticator, answers: Answers): AnyElysia => {
  const { db, now, limits, concurrency, settings } = appContext
  const endpoint = createScimEndpoint({
    answers,
    authenticate: authenticateBy([tokenWay(appContext, access)]),
    limits,
    concurrency,
    bodyLimit: settings.bodyLimit,
    trustedProxies: settings.trustedProxies,
    onAnswer: createRequestLog(db, now),
  })
  const unsupported = (spec: ScimSpec, path: string) =>
    endpoint(spec, () => {
      throw notImplemented(path)
    })

  return new Elysia({ name: 'scim' })
    .get(USERS, ...endpoint(specs.listUsersSpec, (input) => listUsers(appContext, input, readListQuery(input.query))))
    .post(USERS, ...endpoint(specs.createUserSpec, (input) => postUser(appContext, input)))
    .post(
      `${USERS}/.search`,
      ...endpoint(specs.searchUsersSpec, (input) => listUsers(appContext, input, readSearch(input.body))),
    )
    .get(`${USERS}/:id`, ...endpoint(specs.getUserSpec, (input) => getUser(appContext, input)))
    .put(`${USERS}/:id`, ...endpoint(specs.replaceUserSpec, (input) => putUser(appContext, input)))
    .patch(`${USERS}/:id`, ...endpoint(specs.patchUserSpec, (input) => patchUser(appContext, input)))
    .delete(`${USERS}/:id`, ...endpoint(specs.deleteUserSpec, (input) => removeUser(appContext, input)))
    .get(
      GROUPS,
      ...endpoint(specs.listGroupsSpec, (input) => listGroups(appContext, input, readListQuery(input.query))),
    )
    .post(GROUPS, ...endpoint(specs.createGroupSpec, (input) => postGroup(appContext, input)))
    .post(
      `${GROUPS}/.search`,
      ...endpoint(specs.searchGroupsSpec, (input) => listGroups(appContext, input, readSearch(input.body))),
    )
    .get(`${GROUPS}/:id`, ...endpoint(specs.getGroupSpec, (input) => getGroup(appContext, input)))
    .put(`${GROUPS}/:id`, ...endpoint(specs.replaceGroupSpec, (input) => putGroup(appContext, input)))
    .patch(`${GROUPS}/:id`, ...endpoint(specs.patchGroupSpec, (input) => patchGroup(appContext, input)))
    .delete(`${GROUPS}/:id`, ...endpoint(specs.deleteGroupSpec, (input) => removeGroup(appContext, input)))
    .get(
      `${SCIM_PATH}/Schemas`,
      ...endpoint(specs.listSchemasSpec, () => ({ status: 200, body: listSchemas(appContext) })),
    )
    .get(
      `${SCIM_PATH}/Schemas/:id`,
      ...endpoint.open(specs.getSchemaSpec, ({ id }) => ({ status: 200, body: getSchema(appContext, id) })),
    )
    .get(
      `${SCIM_PATH}/ResourceTypes`,
      ...endpoint.open(specs.listResourceTypesSpec, () => ({ status: 200, body: listResourceTypes(appContext) })),
    )
    .get(
      `${SCIM_PATH}/ResourceTypes/:id`,
      ...endpoint.open(specs.getResourceTypeSpec, ({ id }) => ({ status: 200, body: getResourceType(appContext, id) })),
    )
    .get(
      `${SCIM_PATH}/ServiceProviderConfig`,
      ...endpoint.open(specs.getConfigSpec, () => ({ status: 200, body: serviceProviderConfig(appContext) })),
    )
    .post(`${SCIM_PATH}/Bulk`, ...unsupported(specs.bulkSpec, '/Bulk'))
    .get(`${SCIM_PATH}/Me`, ...unsupported(specs.meSpec, '/Me'))
}
