/** Errors of protocols with forms of their own: OAuth, with those of apps, and SCIM, which `http/scim` renders. */
import { ApiError, quoted, requestError } from './api-error'

type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_client'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'temporarily_unavailable'
  | 'server_error'

/**
 * The body has the members of RFC 6749, 5.2, and those of all other error bodies.
 * See docs/reference/access-and-oauth.md (Token endpoint).
 */
export const oauthError = (error: Exclude<OAuthErrorCode, 'invalid_client'>, description: string) =>
  requestError(400, error, description, { error, error_description: description })

export const otherResource = () =>
  oauthError('invalid_target', 'resource is not one of this service, or not the one that was authorized.')

/** The message does not say what is wrong. `WWW-Authenticate` is required when the client used `Authorization`. */
export const invalidClient = (usedHeader: boolean) => {
  const description = 'The client is unknown, or its authentication failed.'
  return new ApiError(
    401,
    'auth_error',
    'invalid_client',
    description,
    { error: 'invalid_client', error_description: description },
    usedHeader ? { 'WWW-Authenticate': 'Basic realm="oauth"' } : {},
  )
}

export const appNotFound = (id: string) => requestError(404, 'not_found', `App with ID ${quoted(id)} was not found.`)

export const appSecretNotFound = (id: string) =>
  requestError(404, 'not_found', `App secret with ID ${quoted(id)} was not found.`)

export const grantNotFound = (id: string) =>
  requestError(404, 'not_found', `Grant with ID ${quoted(id)} was not found.`)

/** The codes of RFC 7644, 3.12. */
type ScimType =
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
