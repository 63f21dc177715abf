import { type AnyElysia, Elysia } from 'elysia'
import type { TokenAuthenticator } from '#access/tokens/authenticate'
import type { AppContext } from '#context'
import { notImplemented } from '#base/errors/protocols'
import { createScimEndpoint, SCIM_PATH, type ScimSpec } from '#api/http/scim/scim-endpoint'
import { authenticateBy, tokenWay } from '#api/http/guard/caller'
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

type ResourceOperations = typeof USER_OPERATIONS | typeof GROUP_OPERATIONS

const USER_OPERATIONS = {
  list: listUsers,
  create: postUser,
  get: getUser,
  replace: putUser,
  patch: patchUser,
  delete: removeUser,
}
const GROUP_OPERATIONS = {
  list: listGroups,
  create: postGroup,
  get: getGroup,
  replace: putGroup,
  patch: patchGroup,
  delete: removeGroup,
}

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

  const resourceRoutes = (path: string, of: specs.ResourceSpecs, operations: ResourceOperations) =>
    new Elysia({ name: path })
      .get(path, ...endpoint(of.list, (input) => operations.list(appContext, input, readListQuery(input.query))))
      .post(path, ...endpoint(of.create, (input) => operations.create(appContext, input)))
      .post(
        `${path}/.search`,
        ...endpoint(of.search, (input) => operations.list(appContext, input, readSearch(input.body))),
      )
      .get(`${path}/:id`, ...endpoint(of.get, (input) => operations.get(appContext, input)))
      .put(`${path}/:id`, ...endpoint(of.replace, (input) => operations.replace(appContext, input)))
      .patch(`${path}/:id`, ...endpoint(of.patch, (input) => operations.patch(appContext, input)))
      .delete(`${path}/:id`, ...endpoint(of.delete, (input) => operations.delete(appContext, input)))

  return new Elysia({ name: 'scim' })
    .use(resourceRoutes(`${SCIM_PATH}/Users`, specs.userSpecs, USER_OPERATIONS))
    .use(resourceRoutes(`${SCIM_PATH}/Groups`, specs.groupSpecs, GROUP_OPERATIONS))
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
