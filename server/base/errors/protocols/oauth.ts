/** Errors of the OAuth endpoints and of apps. */

import { ApiError, quoted, requestError } from '#base/errors/api-error'

export type OAuthErrorCode =
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
