/** Errors of tokens, sessions, members and workspaces. */

import { describeScope, includesScope, type Scope } from '#vocabulary/scopes'
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

/** The refusal of a caller who lacks the scopes. */
export const scopesRequired = (scopes: readonly Scope[]) =>
  new ApiError(
    403,
    'auth_error',
    'unauthorized',
    `This operation requires scopes: ${scopes.map(describeScope).join(', ')}.`,
    { required_scopes: scopes },
    challenge(`error="insufficient_scope", scope="${scopes.join(' ')}"`),
  )

/** The refusal of a token that acts for a member, at an operation for tokens of the workspace. */
export const workspaceTokenRequired = () =>
  new ApiError(
    403,
    'auth_error',
    'unauthorized',
    'This operation requires a token of the workspace; this token acts for one member.',
  )

/** The refusal of a token of the workspace, at an operation of a member. */
export const memberTokenRequired = () =>
  new ApiError(
    403,
    'auth_error',
    'unauthorized',
    'This operation requires a token that acts for a member; this token acts for the workspace.',
  )

/** Throws 403 unless `granted` includes all scopes of `needed`. */
export function requireAllScopes(granted: ReadonlySet<Scope>, needed: readonly Scope[]): void {
  const missing = needed.filter((scope) => !includesScope(granted, scope))
  if (missing.length > 0) throw scopesRequired(missing)
}

export const adminRequired = () =>
  new ApiError(
    403,
    'auth_error',
    'unauthorized',
    'This operation requires an administrator, or a token that an administrator has authorized.',
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
export const invalidCredentials = () => refusedAtConsole(401, 'Wrong email address or password.')

export const untrustedOrigin = () => refusedAtConsole(403, 'This request was not sent by a page of this service.')

/** The page was loaded in another session. A page that is loaded again has the right token. */
export const wrongCsrfToken = () =>
  refusedAtConsole(403, 'This page is out of date. Load it again and repeat what you did.', 'csrf_token_invalid')

export const suspendedMember = () => refusedAtConsole(403, 'Your access to this workspace is suspended.')

/** The workspace requires its provider. The console leads to the sign-in at the provider. */
export const providerRequired = () =>
  refusedAtConsole(403, 'This workspace requires you to sign in through its provider.', 'provider_required')

/** The workspace requires a second factor. The console leads to the enrolment of one. */
export const secondFactorRequired = () =>
  refusedAtConsole(403, 'This workspace requires a second factor. Add one to your account.', 'second_factor_required')

/** A session from the provider of a workspace cannot change what belongs to the account in all workspaces. */
export const boundSession = () =>
  refusedAtConsole(403, 'Sign in with your password to change your account.', 'session_of_provider')

/** A change of sign-in settings needs the password or the second factor again. */
export const proofRequired = () =>
  refusedAtConsole(403, 'Confirm that it is you with your password or your second factor.', 'proof_required')

/** A 401 would mean that the session has ended. */
export const wrongProof = () => refusedAtConsole(403, 'This was not right. Try again.', 'proof_wrong')

export const wrongSecondFactor = (method: string) =>
  refusedAtConsole(401, method === 'passkey' ? 'This passkey was not accepted.' : (WRONG_CODES[method] ?? WRONG_CODE))

const WRONG_CODE = "That code isn't right. Enter the newest one."
const WRONG_CODES: Readonly<Record<string, string>> = {
  'recovery-code': "That recovery code isn't right, or was used before.",
}

export const wrongPasskey = () => refusedAtConsole(401, 'This passkey was not accepted. Sign in with your password.')

export const signInExpired = () =>
  refusedAtConsole(401, 'This sign-in has expired. Sign in again from the beginning.', 'sign_in_expired')

/** `reason` is a sentence without secrets. */
export const providerFailed = (reason: string) =>
  requestError(400, 'provider_failed', `The sign-in at the provider failed. ${reason}`)

export const providerUnknown = () =>
  requestError(404, 'not_found', 'There is no such provider. An administrator may have removed it.')

export const emailNotVerified = () =>
  refusedAtConsole(403, 'The provider did not confirm your email address.', 'email_not_verified')

/** For a user of a provider who is no member. */
export const noMemberOfProvider = (emailAddress: string | undefined) =>
  refusedAtConsole(
    403,
    emailAddress === undefined
      ? 'You are not a member here. Ask an administrator for an invitation.'
      : `${quoted(emailAddress)} is not a member here. Ask an administrator for an invitation.`,
    'no_member',
  )

export const totpExists = () =>
  requestError(409, 'conflict', 'This account has an authenticator app already. Remove it first.')

export const tooManyPasskeys = (max: number) =>
  requestError(409, 'conflict', `An account can have at most ${max} passkeys.`)

export const secondFactorNotFound = () => requestError(404, 'not_found', 'This second factor was not found.')

export const breakGlassAdmin = () =>
  requestError(
    409,
    'break_glass_admin',
    'This administrator can always sign in with a password. Choose another one in the sign-in settings first.',
  )

export const providerInUse = () =>
  requestError(
    409,
    'provider_in_use',
    'Members sign in only through this provider. Allow passwords in the sign-in settings first.',
  )

export const noFreeSeat = (quota: number) =>
  refusedAtConsole(
    403,
    `This workspace may have at most ${quota} active ${quota === 1 ? 'member' : 'members'}. An administrator can suspend one first.`,
    'quota_exceeded',
  )

export const adminsOnly = () => refusedAtConsole(403, 'Only an administrator of this workspace may do this.')

export const sampleDataExists = () => requestError(409, 'conflict', 'This workspace has sample data.')

/** For sample data that an operation of the API refused. */
export const sampleDataRefused = (message: string) =>
  requestError(409, 'conflict', `The sample data doesn't fit the objects of this workspace. ${message}`)

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

/** A workspace in which the account has no membership, or that was deleted. The console offers the other workspaces. */
export const noMembership = (id: string) =>
  requestError(404, 'workspace_not_found', `Workspace with ID ${quoted(id)} was not found.`)

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
  requestError(409, 'last_admin', 'This is the only admin. Make another member an admin first.')

export const nothingHeld = () =>
  requestError(409, 'nothing_held', 'Nothing is held any more: another admin or a command has decided.')

export const firstStartDone = () =>
  requestError(409, 'first_start_done', 'This service has been set up already. Sign in instead.')

export const teamNotFound = (id: string) => requestError(404, 'not_found', `Team with ID ${quoted(id)} was not found.`)

export const teamNameTaken = (name: string) =>
  requestError(409, 'slug_conflict', `There is already another team with the name ${quoted(name)}.`)

export const teamNamedTwice = (id: string) =>
  requestError(400, 'validation_type', `Team with ID ${quoted(id)} is named twice.`)

export const domainNotFound = (id: string) =>
  requestError(404, 'not_found', `Domain with ID ${quoted(id)} was not found.`)

export const domainRequired = () =>
  requestError(400, 'validation_type', 'Enter a domain, such as example.com, without a path or an email address.')

export const domainNotProven = (recordName: string) =>
  requestError(
    409,
    'domain_not_verified',
    `The TXT record ${quoted(recordName)} was not found. DNS changes can take some hours; try again later.`,
  )
