/**
 * Every error a client can meet, by name. Throw with `throw notFound('Record', id)`; only `http/` answers with them.
 * Names and ids stand in double quotes: clients extract them with patterns.
 * See docs/reference/errors-and-limits.md (The error body, Codes).
 * Longer than other files on purpose: it is one list, and a client's author reads it as a whole.
 */

import { excerpt } from '../text/excerpt'
import { sizeInWords } from '../text/size-in-words'

export type ErrorType = 'invalid_request_error' | 'auth_error' | 'rate_limit_error' | 'api_error'

/** One problem found in a body, a query string or a single value. `path` starts at the root of what was validated. */
export interface ValidationIssue {
  code: 'invalid_type' | 'invalid_option' | 'invalid_string' | 'too_small' | 'too_big' | 'invalid'
  path: (string | number)[]
  message: string
  [member: string]: unknown
}

/** What a client may learn of an error. `extra` becomes further members of the body; `headers` go with the answer. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly type: ErrorType,
    readonly code: string,
    message: string,
    readonly extra: Readonly<Record<string, unknown>> = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }
}

/** A single value its attribute refuses; paths are relative to the value. `values/` turns it into an answer. */
export class InvalidValue extends Error {
  constructor(readonly issues: ValidationIssue[]) {
    super(issues[0]?.message ?? 'Invalid input')
  }
}

export const invalidValue = (message: string, path: (string | number)[] = []) =>
  new InvalidValue([{ code: 'invalid', path, message }])

const BODY_MESSAGE = 'Body payload validation error.'
const QUERY_MESSAGE = 'Query parameter validation error.'

const invalid = (status: number, code: string, message: string, extra?: Record<string, unknown>) =>
  new ApiError(status, 'invalid_request_error', code, message, extra)

const quoted = (text: string) => `"${excerpt(text)}"`

/**
 * `path` and message of the first issue, for clients that show only `message`.
 * See docs/reference/errors-and-limits.md (Validation errors).
 */
function withFirstIssue(message: string, issues: ValidationIssue[]): string {
  const first = issues[0]
  if (!first) return message
  return `${message} (${first.path.length > 0 ? `${first.path.join('.')}: ` : ''}${first.message})`
}

// --- 400: the request itself

/** Further ones are not told: a body with a million wrong items is explained by the first of them. */
export const MOST_ISSUES = 100

const firstOf = (issues: ValidationIssue[]) => ({ validation_errors: issues.slice(0, MOST_ISSUES) })

export const invalidBody = (issues: ValidationIssue[]) =>
  invalid(400, 'validation_type', withFirstIssue(BODY_MESSAGE, issues), firstOf(issues))

export const invalidQuery = (issues: ValidationIssue[]) =>
  invalid(400, 'validation_type', withFirstIssue(QUERY_MESSAGE, issues), firstOf(issues))

/** Also where there are several. RFC 9112, 3.2. */
export const invalidHost = () => invalid(400, 'validation_type', 'The Host header does not name one valid host.')

/** Hardly ever read by anybody: the client has closed the connection, or sent what is no HTTP. */
export const bodyCutOff = () =>
  invalid(400, 'validation_type', 'The connection was closed before the whole body had arrived.')

/** A rule broken that no schema states. */
export const invalidRequest = (message: string) => invalid(400, 'validation_type', message)

export const invalidIdempotencyKey = () =>
  invalid(400, 'validation_type', 'Idempotency-Key must be 1 to 255 visible ASCII characters.')

export const emptyPayload = () =>
  invalid(400, 'validation_type', 'Cannot update with an empty payload. Provide at least one member to change.')

export const invalidAttributeValue = (slug: string, issues: ValidationIssue[]) =>
  invalid(
    400,
    'validation_type',
    withFirstIssue(`An invalid value was passed to attribute with slug ${quoted(slug)}.`, issues),
    firstOf(issues),
  )

export const missingParameter = (name: string) =>
  invalid(400, 'missing_value', `Required parameter ${quoted(name)} was not provided.`)

export const missingWorkspace = () =>
  invalid(400, 'missing_value', 'Required header "X-Workspace" was not provided: the ID of a workspace of yours.')

/** Only introspection answers so; everything else is 401. */
export const unrecognisedToken = () =>
  invalid(
    400,
    'missing_value',
    'The token was not recognised: send `Authorization: Bearer` with a token of 64 characters.',
  )

// --- 400: values

export const unknownAttributeKey = (key: string, didYouMean?: string) =>
  invalid(400, 'value_not_found', `Cannot find attribute with slug/ID ${quoted(key)}.`, suggestion(didYouMean))

export const unknownMatchingAttribute = (key: string, didYouMean?: string) =>
  invalid(
    400,
    'value_not_found',
    `No attribute was found for matching_attribute slug/ID ${quoted(key)}.`,
    suggestion(didYouMean),
  )

export const immutableValue = (slug: string) =>
  invalid(
    400,
    'immutable_value',
    `Attribute with slug ${quoted(slug)} is read-only: its values cannot be updated once created.`,
  )

/** A member beside the values that is fixed for ever: the parent of a list or of an entry. */
export const immutableMember = (name: string) =>
  invalid(400, 'immutable_value', `Member ${quoted(name)} cannot be updated once created.`)

/** In a value or in a path; 400 in both by contract. */
export const unknownOption = (slug: string, title: string, validOptions: string[]) =>
  invalid(
    400,
    'value_not_found',
    `Cannot find select attribute with select option title ${quoted(title)} for attribute with slug ${quoted(slug)}.`,
    { valid_options: validOptions.slice(0, 50) },
  )

export const unknownStatus = (slug: string, title: string, validOptions: string[]) =>
  invalid(
    400,
    'value_not_found',
    `Cannot find Status with status option title ${quoted(title)} for attribute with slug ${quoted(slug)}.`,
    { valid_options: validOptions.slice(0, 50) },
  )

export const unknownMember = (idOrEmail: string) =>
  invalid(400, 'value_not_found', `Workspace member with ID ${quoted(idOrEmail)} not found.`)

/** A record named in a body, by id or by a matching value. A record named in a path is `notFound`. */
export const unknownRecord = (object: string, idOrKey: string) =>
  invalid(400, 'value_not_found', `Cannot find record with ID or value ${quoted(idOrKey)} of object ${quoted(object)}.`)

/** The record an entry is to stand for. */
export const unknownParentRecord = (id: string) =>
  invalid(400, 'value_not_found', `Parent record with slug/ID ${quoted(id)} not found.`)

export const unknownObject = (slugOrId: string, didYouMean?: string) =>
  invalid(400, 'value_not_found', `Cannot find object with slug/ID ${quoted(slugOrId)}.`, suggestion(didYouMean))

export const missingValue = (attributeId: string) =>
  invalid(400, 'missing_value', `Required value for attribute with ID ${quoted(attributeId)} was not provided.`)

export const uniquenessConflict = (slug: string, recordIds: string[]) =>
  invalid(
    400,
    'uniqueness_conflict',
    `A value provided for attribute with slug ${quoted(slug)} conflicts with one already in the system. ` +
      `This attribute has a uniqueness constraint. Conflicting record IDs: ${recordIds.join(', ')}`,
    { conflicting_record_ids: recordIds },
  )

export const multipleMatches = (message: string) => invalid(400, 'multiple_match_results', message)

export const matchingAttributeNotUnique = (slug: string) =>
  invalid(400, 'matching_attribute_definition_not_unique', `Attribute with slug ${quoted(slug)} is not unique.`)

// --- 400: the data model

export const systemAttributeNotEditable = (message = 'Cannot update a System attribute.') =>
  invalid(400, 'system_edit_unauthorized', message)

export const standardObjectDisabled = (objectId: string) =>
  invalid(
    400,
    'standard_object_disabled',
    `Object with ID ${quoted(objectId)} must be enabled by a Workspace admin before it can be used.`,
  )

export const objectQuotaExceeded = (quota: number) =>
  invalid(400, 'quota_exceeded', `This workspace may have at most ${quota} custom objects.`)

export const notAnOptionAttribute = (kind: 'select' | 'status', slug: string) =>
  invalid(400, 'validation_type', `Attribute with slug ${quoted(slug)} is not a ${kind} attribute.`)

// --- 400: queries. `path` leads to the place inside the filter or the sorts; positions are strings.

export const filterError = (message: string, path: string[] = []) =>
  invalid(400, 'filter_error', `Error in filter: ${message}`, { path })

export const unknownFilterAttribute = (slug: string, path: string[], didYouMean?: string) =>
  invalid(400, 'unknown_filter_attribute_slug', `Unknown attribute slug: ${slug}.`, { path, ...suggestion(didYouMean) })

export const invalidFilterField = (field: string, type: string, path: string[]) =>
  invalid(400, 'invalid_filter_field', `Invalid field '${field}' for attribute of type '${type}'`, { path })

export const invalidFilterOperator = (operator: string, path: string[]) =>
  invalid(400, 'invalid_filter_operator', `Invalid operator: ${operator}`, { path })

export const missingSortField = (message: string, path: string[]) =>
  invalid(400, 'missing_sort_field', message, { path })

/** A statement that ran into its time limit; trying again unchanged would not help. */
export const queryTimedOut = () =>
  invalid(400, 'query_timed_out', 'The query took too long and was stopped. Narrow its filter or leave out sorts.')

// --- 400: merge

export const selfMerge = () => invalid(400, 'self_merge', 'A record cannot be merged with itself.')

// --- 401, 403

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

export const webhookOfOtherClient = () =>
  new ApiError(
    403,
    'auth_error',
    'unauthorized',
    'This webhook belongs to an app or an API key, and only that may change it.',
  )

export const deliveryWithheld = () =>
  new ApiError(
    403,
    'auth_error',
    'unauthorized',
    'Whoever this webhook belongs to may not see this event any more, so it is not sent again.',
  )

/** `needed` is what the operation takes. See docs/reference/lists-and-entries.md (Access to lists). */
export const listAccessTooLow = (list: string, has: string, needed: string) =>
  new ApiError(
    403,
    'auth_error',
    'unauthorized',
    `Your access to list ${quoted(list)} is ${has}; this operation needs ${needed} access.`,
  )

/** `describeScopes` names every missing scope, e.g. "Read-Write access to the Records scope". */
export const missingScopes = (describeScopes: string[], scopes: string[]) =>
  new ApiError(
    403,
    'auth_error',
    'unauthorized',
    `This operation requires scopes: ${describeScopes.join(', ')}.`,
    { required_scopes: scopes },
    challenge(`error="insufficient_scope", scope="${scopes.join(' ')}"`),
  )

// --- 401, 403: the console

const refusedAtConsole = (status: 401 | 403, message: string, code = 'unauthorized') =>
  new ApiError(status, 'auth_error', code, message)

export const sessionRequired = () => refusedAtConsole(401, 'You are signed out. Sign in to go on.')

/** The same whichever of the two it is. */
export const invalidCredentials = () => refusedAtConsole(401, 'The e-mail address or the password is wrong.')

export const untrustedOrigin = () => refusedAtConsole(403, 'This request was not sent by a page of this service.')

/** A page that was opened under another session; loading it anew mends it. */
export const wrongCsrfToken = () =>
  refusedAtConsole(403, 'This page is out of date. Load it again and repeat what you did.', 'csrf_token_invalid')

export const suspendedMember = () => refusedAtConsole(403, 'Your access to this workspace is suspended.')

export const adminsOnly = () => refusedAtConsole(403, 'Only an administrator of this workspace may do this.')

/** `lacking` names the attributes and options that would be made. */
export const importNeedsAdmin = (lacking: string) =>
  refusedAtConsole(403, `This import would add ${lacking}, which only an import of an administrator may.`)

// --- 400, 401: the OAuth endpoints

export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_client'
  | 'temporarily_unavailable'
  | 'server_error'

/**
 * The standard's members, and the envelope's for clients that know no other. RFC 6749, 5.2;
 * see docs/reference/access-and-oauth.md (Token endpoint).
 */
export const oauthError = (error: Exclude<OAuthErrorCode, 'invalid_client'>, description: string) =>
  invalid(400, error, description, { error, error_description: description })

/** The same whatever was wrong with it. A client that used the Authorization header is told how to use it. */
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

/** A file, or a plan for it, that cannot be imported; the sentence says why. */
export const importProblem = (message: string) => invalid(400, 'import_problem', message)

// --- 404

export const workspaceNotFound = (id: string) =>
  invalid(404, 'not_found', `Workspace with ID ${quoted(id)} was not found.`)

export const routeNotFound = (method: string, path: string) =>
  invalid(404, 'not_found', `Could not find endpoint "${method} ${path}".`)

export const objectNotFound = (slugOrId: string, didYouMean?: string) =>
  invalid(404, 'not_found', `Object with slug/ID ${quoted(slugOrId)} not found.`, suggestion(didYouMean))

export const listNotFound = (slugOrId: string, didYouMean?: string) =>
  invalid(404, 'not_found', `List with slug/ID ${quoted(slugOrId)} not found.`, suggestion(didYouMean))

export const attributeNotFound = (slugOrId: string, didYouMean?: string) =>
  invalid(404, 'not_found', `Attribute with slug/ID ${quoted(slugOrId)} not found.`, suggestion(didYouMean))

/** `mergedInto` names the record that replaced it, when it was merged away. */
export const recordNotFound = (id: string, mergedInto?: string) =>
  invalid(
    404,
    'not_found',
    `Record with ID ${quoted(id)} not found.`,
    mergedInto === undefined ? {} : { merged_into: mergedInto },
  )

export const entryNotFound = (id: string) => invalid(404, 'not_found', `Entry with ID ${quoted(id)} not found.`)

export const sessionNotFound = (id: string) => invalid(404, 'not_found', `Session with ID ${quoted(id)} was not found.`)

export const invitationNotFound = (id: string) =>
  invalid(404, 'not_found', `Invitation with ID ${quoted(id)} was not found.`)

export const keyNotFound = (id: string) => invalid(404, 'not_found', `API key with ID ${quoted(id)} was not found.`)

export const importNotFound = (id: string) => invalid(404, 'not_found', `Import with ID ${quoted(id)} was not found.`)

/** A link that was sent to somebody; what it was for is no business of whoever holds a wrong one. */
export const linkExpired = () =>
  invalid(404, 'not_found', 'This link is no longer good: it was used, has expired, or was replaced by a newer one.')

export const memberNotFound = (id: string) =>
  invalid(404, 'not_found', `Workspace member with ID ${quoted(id)} was not found.`)

export const viewNotFound = (id: string) => invalid(404, 'not_found', `View with ID ${quoted(id)} was not found.`)

export const webhookNotFound = (id: string) => invalid(404, 'not_found', `Webhook with ID ${quoted(id)} was not found.`)

export const appNotFound = (id: string) => invalid(404, 'not_found', `App with ID ${quoted(id)} was not found.`)

export const appSecretNotFound = (id: string) =>
  invalid(404, 'not_found', `App secret with ID ${quoted(id)} was not found.`)

export const grantNotFound = (id: string) => invalid(404, 'not_found', `Grant with ID ${quoted(id)} was not found.`)

export const deliveryNotFound = (id: string) =>
  invalid(404, 'not_found', `Delivery with ID ${quoted(id)} was not found.`)

export const testEndpointNotFound = (id: string) =>
  invalid(404, 'not_found', `Test endpoint with ID ${quoted(id)} was not found.`)

/** Only merging answers so for a record it was asked to merge. */
export const mergeRecordNotFound = (id: string) =>
  invalid(404, 'value_not_found', `Record with ID ${quoted(id)} not found.`)

// --- 410

export const expiredCursor = () =>
  invalid(
    410,
    'cursor_expired',
    'Events after this cursor have expired. Read from the beginning of what is kept, without a cursor, or from `now`.',
  )

// --- 409, 412, 413, 414, 415

export const idempotencyConflict = () =>
  invalid(
    409,
    'idempotency_conflict',
    'This idempotency key was used with another request in the last 24 hours; use a new key for a new request.',
  )

/** A request with the same key still runs. `retryAfter` as in `rateLimited`. */
export const idempotencyRunning = (retryAfter: Date) =>
  new ApiError(
    409,
    'invalid_request_error',
    'idempotency_conflict',
    'A request with this idempotency key is still running; try again when it is done.',
    {},
    { 'Retry-After': wholeSeconds(retryAfter) },
  )

export const slugConflict = (slug: string) =>
  invalid(409, 'slug_conflict', `There is already another one with the api_slug ${quoted(slug)}.`)

export const workspaceSlugTaken = (slug: string) =>
  invalid(409, 'slug_conflict', `There is already another workspace with the slug ${quoted(slug)}.`)

export const alreadyMember = (emailAddress: string) =>
  invalid(409, 'already_member', `${quoted(emailAddress)} is a member of this workspace already.`)

export const lastAdmin = () =>
  invalid(409, 'last_admin', 'This is the last administrator of the workspace; make somebody else one first.')

export const firstStartDone = () =>
  invalid(409, 'first_start_done', 'This service has been set up already. Sign in instead.')

export const nounConflict = (noun: string) =>
  invalid(409, 'slug_conflict', `There is already another object with the noun ${quoted(noun)}.`)

export const optionConflict = (kind: 'select option' | 'status', title: string) =>
  invalid(409, 'slug_conflict', `There is already another ${kind} with the title ${quoted(title)}.`)

export const webhookConflict = () =>
  invalid(409, 'uniqueness_conflict', 'There is already a webhook with the same target_url and subscriptions.')

export const objectNotEmpty = (slug: string) =>
  invalid(409, 'object_not_empty', `Object ${quoted(slug)} still holds records; delete it with ?force=true.`)

export const versionConflict = () =>
  invalid(412, 'version_conflict', 'The record or entry has changed since the version given in If-Match.')

export const bodyTooLarge = (limit: number) =>
  invalid(413, 'validation_type', `The body is larger than the ${sizeInWords(limit)} allowed.`)

export const importTooLarge = (limit: number) =>
  invalid(413, 'validation_type', `The file is larger than the ${sizeInWords(limit)} allowed.`)

export const importNotReady = (id: string) =>
  invalid(409, 'import_state', `Import with ID ${quoted(id)} was begun or thrown away already.`)

export const importRunning = (id: string) =>
  invalid(409, 'import_state', `Import with ID ${quoted(id)} is running; cancel it first.`)

export const urlTooLong = () => invalid(414, 'validation_type', 'The URL is longer than the 16 KiB allowed.')

export const unsupportedMediaType = (type: string) =>
  invalid(415, 'validation_type', `Content type ${quoted(type)} is not supported; send application/json.`)

// --- 429

/**
 * `retryAfter` goes out as an HTTP date, never as seconds: clients parse it.
 * See docs/reference/errors-and-limits.md (Rate limits).
 */
export const rateLimited = (retryAfter: Date) =>
  new ApiError(
    429,
    'rate_limit_error',
    'rate_limit_exceeded',
    'Rate limit exceeded, please try again later.',
    {},
    { 'Retry-After': wholeSeconds(retryAfter) },
  )

/** A query that no waiting makes cheaper. */
export const queryTooCostly = (score: number, limit: number) =>
  new ApiError(
    429,
    'rate_limit_error',
    'rate_limit_exceeded',
    `Rate limit exceeded: this query has a score of ${score}, and a query may have ${limit}. Trying again does not ` +
      'help; ask for fewer conditions, paths and sorts at once.',
    { retryable: false },
    { 'Retry-After': wholeSeconds(new Date()) },
  )

/** The first whole second that is not before it. */
const wholeSeconds = (date: Date): string => new Date(Math.ceil(date.getTime() / 1000) * 1000).toUTCString()

// --- 5xx

export const internalError = () =>
  new ApiError(
    500,
    'api_error',
    'internal_error',
    'Something went wrong on our side. The request id is in the headers.',
  )

export const serviceUnavailable = (retryAfter: Date) =>
  new ApiError(
    503,
    'api_error',
    'unavailable',
    'The service is not available right now, please try again later.',
    {},
    { 'Retry-After': retryAfter.toUTCString() },
  )

const suggestion = (didYouMean?: string): Record<string, unknown> =>
  didYouMean === undefined ? {} : { did_you_mean: didYouMean }

const challenge = (parameters?: string) => ({
  'WWW-Authenticate': parameters === undefined ? 'Bearer' : `Bearer ${parameters}`,
})
