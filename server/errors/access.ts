/** Errors of tokens, sessions, members and workspaces. */

import { ApiError, quoted, requestError } from './api-error'

export const missingAuthorization = () =>
  new ApiError(401, 'auth_error', 'unauthorized', 'Authorization header was not provided.', {}, challenge())

export const wrongTokenLength = () =>
  new ApiError(
    401,
    'auth_error',
    'unauthorized',
    'The API key is invalid because its length is wrong: keys have 64 characters.',
    {},
    challenge('error="invalid_token"'),
  )

export const unknownToken = () =>
  new ApiError(
    401,
    'auth_error',
    'unauthorized',
    'The API key could not be found. Most commonly, this is because it was revoked.',
    {},
    challenge('error="invalid_token"'),
  )

/** For introspection only; all other routes refuse such a token with 401. */
export const unrecognisedToken = () =>
  requestError(
    400,
    'missing_value',
    'The token was not recognised: send `Authorization: Bearer` with a token of 64 characters.',
  )

/** `descriptions` has one text for each missing scope, such as "Read-Write access to the Records scope". */
export const missingScopes = (descriptions: readonly string[], scopes: readonly string[]) =>
  new ApiError(
    403,
    'auth_error',
    'unauthorized',
    `This operation requires scopes: ${descriptions.join(', ')}.`,
    { required_scopes: scopes },
    challenge(`error="insufficient_scope", scope="${scopes.join(' ')}"`),
  )

const challenge = (parameters?: string) => ({
  'WWW-Authenticate': parameters === undefined ? 'Bearer' : `Bearer ${parameters}`,
})

export const missingWorkspace = () =>
  requestError(400, 'missing_value', 'Required header "X-Workspace" was not provided: the ID of a workspace of yours.')

const refusedAtConsole = (status: 401 | 403, message: string, code = 'unauthorized') =>
  new ApiError(status, 'auth_error', code, message)

export const sessionRequired = () => refusedAtConsole(401, 'You are signed out. Sign in to go on.')

/** The message does not say which of the two is wrong. */
export const invalidCredentials = () => refusedAtConsole(401, 'The e-mail address or the password is wrong.')

export const untrustedOrigin = () => refusedAtConsole(403, 'This request was not sent by a page of this service.')

/** The page was loaded in another session. A page that is loaded again has the right token. */
export const wrongCsrfToken = () =>
  refusedAtConsole(403, 'This page is out of date. Load it again and repeat what you did.', 'csrf_token_invalid')

export const suspendedMember = () => refusedAtConsole(403, 'Your access to this workspace is suspended.')

export const adminsOnly = () => refusedAtConsole(403, 'Only an administrator of this workspace may do this.')

export const pictureTooLarge = (limit: number) =>
  requestError(413, 'validation_type', `A picture may have up to ${limit / 1_000_000} MB.`)

export const unknownPictureType = () =>
  requestError(400, 'validation_type', 'A picture must be a PNG, JPEG or WebP image.')

export const pictureNotFound = () => requestError(404, 'not_found', 'There is no such picture.')

/** `descriptions` has one text for each refused scope. */
export const keyWithMoreAccess = (descriptions: readonly string[]) =>
  refusedAtConsole(403, `A key of yours cannot have more access than you: ${descriptions.join(', ')}.`)

export const workspaceNotFound = (id: string) =>
  requestError(404, 'not_found', `Workspace with ID ${quoted(id)} was not found.`)

export const sessionNotFound = (id: string) =>
  requestError(404, 'not_found', `Session with ID ${quoted(id)} was not found.`)

export const invitationNotFound = (id: string) =>
  requestError(404, 'not_found', `Invitation with ID ${quoted(id)} was not found.`)

export const keyNotFound = (id: string) =>
  requestError(404, 'not_found', `API key with ID ${quoted(id)} was not found.`)

/** For links in emails. The message does not say what a wrong link was for. */
export const linkExpired = () =>
  requestError(
    404,
    'not_found',
    'This link is no longer good: it was used, has expired, or was replaced by a newer one.',
  )

export const memberNotFound = (id: string) =>
  requestError(404, 'not_found', `Workspace member with ID ${quoted(id)} was not found.`)

export const workspaceSlugTaken = (slug: string) =>
  requestError(409, 'slug_conflict', `There is already another workspace with the slug ${quoted(slug)}.`)

export const alreadyMember = (emailAddress: string) =>
  requestError(409, 'already_member', `${quoted(emailAddress)} is a member of this workspace already.`)

export const lastAdmin = () =>
  requestError(
    409,
    'last_admin',
    'This is the last administrator of the workspace; make another member an administrator first.',
  )

export const firstStartDone = () =>
  requestError(409, 'first_start_done', 'This service has been set up already. Sign in instead.')
