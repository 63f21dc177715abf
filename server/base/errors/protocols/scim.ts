/** Errors of SCIM. Each has the code of RFC 7644, 3.12 as its code; `http/scim` renders them in the form of that standard. */

import { ApiError, quoted } from '#base/errors/api-error'

export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness'

const scimError = (status: 400 | 409, scimType: ScimType, message: string) =>
  new ApiError(status, 'invalid_request_error', scimType, message, { scimType })

export const invalidFilter = (message: string) => scimError(400, 'invalidFilter', message)

export const invalidPath = (path: string) => scimError(400, 'invalidPath', `The path ${quoted(path)} is not valid.`)

export const invalidScimSyntax = (message: string) => scimError(400, 'invalidSyntax', message)

export const invalidScimValue = (message: string) => scimError(400, 'invalidValue', message)

export const immutableAttribute = (message: string) => scimError(400, 'mutability', message)

export const onlyAdminRemains = () =>
  immutableAttribute('This is the last administrator of the workspace. Make another member an administrator first.')

export const removeWithoutPath = () => scimError(400, 'noTarget', 'An operation "remove" needs a path.')

export const tooManyOperations = (limit: number) =>
  scimError(400, 'tooMany', `A request has at most ${limit} operations.`)

export const userExists = (userName: string) =>
  scimError(409, 'uniqueness', `A user with the userName ${quoted(userName)} exists already.`)

export const groupExists = (name: string) =>
  scimError(409, 'uniqueness', `A group with the displayName ${quoted(name)} exists already.`)

export const scimResourceNotFound = (kind: 'User' | 'Group' | 'Schema' | 'ResourceType', id: string) =>
  new ApiError(404, 'invalid_request_error', 'not_found', `${kind} ${quoted(id)} was not found.`)

export const notImplemented = (path: string) =>
  new ApiError(501, 'invalid_request_error', 'not_implemented', `${path} is not supported.`)
