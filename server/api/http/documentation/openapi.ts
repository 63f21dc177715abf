/** Describes each route, and the service as a whole, for the OpenAPI document. */

import { type TObject, type TSchema, Type } from 'typebox'
import {
  type Area,
  AREAS,
  describeScope,
  READ_WRITE_SCOPES,
  type Scope,
  SCOPES_IN_ORDER,
  type TokenLevel,
} from '#vocabulary/scopes'
import { scopesRequired, unknownToken } from '#base/errors/access'
import { DryRunQuery } from '#api/http/dry-run/dry-run'
import type { OpenRouteSpec, RouteSpec, UploadSpec } from '#api/http/guard/route'
import type { ApiError } from '#base/errors/api-error'
import {
  bodyTooLarge,
  idempotencyConflict,
  internalError,
  invalidBody,
  rateLimited,
  unsupportedMediaType,
} from '#base/errors/http'
import { recordNotFound, versionConflict } from '#base/errors/records'
import { envelopeOf } from '#api/http/response/answer'

/**
 * The error responses of the OpenAPI document, each with an example from the catalogue.
 * See docs/reference/errors-and-limits.md (The error body).
 */
const ERROR_SCHEMA = {
  type: 'object',
  properties: {
    status_code: { type: 'integer' },
    statusCode: { type: 'integer', description: 'The same, at operations where clients read it under this name.' },
    type: { type: 'string', enum: ['invalid_request_error', 'auth_error', 'rate_limit_error', 'api_error'] },
    code: { type: 'string' },
    message: { type: 'string' },
    path: { type: 'array', items: { type: 'string' }, description: 'Where in a filter or in sorts the problem is.' },
    conflicting_record_ids: { type: 'array', items: { type: 'string', format: 'uuid' } },
    valid_options: { type: 'array', items: { type: 'string' } },
    did_you_mean: { type: 'string' },
    required_scopes: { type: 'array', items: { type: 'string' } },
    merged_into: { type: 'string', format: 'uuid' },
    operation: { type: 'integer', description: 'The position of the failed operation of an atomic batch.' },
    retryable: { type: 'boolean' },
    position: { type: 'integer' },
    hint: { type: 'string' },
    validation_errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          code: { type: 'string' },
          path: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
          message: { type: 'string' },
        },
        required: ['code', 'path', 'message'],
        additionalProperties: true,
      },
    },
  },
  required: ['status_code', 'type', 'code', 'message'],
}

/** Each description, with an error that has this status. */
const ERRORS: readonly (readonly [description: string, example: ApiError])[] = [
  [
    'Something sent is not valid',
    invalidBody([
      {
        code: 'invalid_type',
        path: ['data', 'values'],
        message: 'Required',
        expected: 'object',
        received: 'undefined',
      },
    ]),
  ],
  ['The token is missing, malformed or unknown', unknownToken()],
  ['The token lacks a scope', scopesRequired(['record_permission:read-write'])],
  ['Something named in the path does not exist', recordNotFound('11111111-1111-4111-8111-111111111111')],
  [
    'The request conflicts with what is stored, or with the first request of its idempotency key',
    idempotencyConflict(),
  ],
  ['`If-Match` names another version', versionConflict()],
  ['The body is too large', bodyTooLarge(25_000_000)],
  ['The content type of the body is not supported', unsupportedMediaType('multipart/form-data')],
  [
    'The caller has asked too much; `Retry-After` names the time of the next request',
    rateLimited(new Date(Date.UTC(2026, 0, 1))),
  ],
  ['Something went wrong inside the service', internalError()],
]

/** The name of the component of a status, such as `error_404`. */
const nameOf = (status: number): string => `error_${status}`

/** The `components.responses` of the document. */
const ERROR_RESPONSES: Readonly<Record<string, object>> = Object.fromEntries(
  ERRORS.map(([description, error]) => [
    nameOf(error.status),
    {
      description,
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/error' }, example: envelopeOf(error) },
      },
    },
  ]),
)

/** What decides which errors an operation can answer. */
interface ErrorCauses {
  readonly needsToken: boolean
  readonly writes: boolean
  readonly hasBody: boolean
  readonly usesIfMatch: boolean
}

/** The error responses of one operation, as references to the components. */
function errorResponses({ needsToken, writes, hasBody, usesIfMatch }: ErrorCauses): Record<string, object> {
  const statuses = [
    400,
    ...(needsToken ? [401, 403] : []),
    404,
    ...(writes ? [409] : []),
    ...(usesIfMatch ? [412] : []),
    ...(hasBody ? [413, 415] : []),
    429,
    500,
  ]
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]))
}

export type DescribedRoute = OpenRouteSpec<TObject, TSchema> | RouteSpec<TObject, TSchema> | UploadSpec<TObject>

/** The operation object of one route. `form` is the kind of its body. */
export function describeRoute(spec: DescribedRoute, form: 'json' | 'upload' = 'json'): object {
  const scopes = 'scopes' in spec ? spec.scopes : undefined
  const usesIfMatch = spec.usesIfMatch === true
  return {
    operationId: spec.operation,
    summary: spec.summary,
    description: describe(spec, scopes),
    tags: [spec.tag],
    parameters: [
      ...queryParameters('query' in spec ? spec.query : undefined),
      ...(writes(scopes) ? [IDEMPOTENCY_KEY, ...queryParameters(DryRunQuery)] : []),
      ...(usesIfMatch ? [IF_MATCH] : []),
    ],
    ...(spec.body === undefined
      ? {}
      : { requestBody: form === 'upload' ? uploadBody(spec.body) : jsonBody(documentedBody(spec), spec) }),
    responses: {
      ...followed(spec),
      [spec.status ?? 200]: successOf(spec),
      ...errorResponses({
        needsToken: scopes !== undefined,
        writes: writes(scopes),
        hasBody: spec.body !== undefined,
        usesIfMatch,
      }),
    },
    security: securityOf(scopes ?? [], 'otherScopes' in spec ? spec.otherScopes : undefined),
    ...(scopes === undefined ? {} : { 'x-required-scopes': scopes }),
  }
}

/** The ways to authenticate: a token of an app, or an API key as Bearer or Basic. */
const securityOf = (scopes: readonly Scope[], others: readonly (readonly Scope[])[] = []): object[] => [
  { oauth2: scopes },
  ...others.map((each) => ({ oauth2: each })),
  { bearer: [] },
  { basic: [] },
]

/** Whether the operation writes: one of its scopes is read-write. */
const writes = (scopes: readonly Scope[] | undefined): boolean =>
  scopes?.some((scope) => scope.endsWith(':read-write')) ?? false

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Any text, new for each request. A retry with the same key within 24 hours is not executed twice.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of the version to change. Another version answers 412.',
  schema: { type: 'string' },
}

function describe(spec: DescribedRoute, scopes: readonly Scope[] | undefined): string {
  const alternatives = ('scopes' in spec ? spec.otherScopes : undefined) ?? []
  const others = alternatives.map((each) => `; or ${named(each)}`).join('')
  const needed = scopes === undefined || scopes.length === 0 ? [] : [`Required scopes: ${named(scopes)}${others}.`]
  if ('tokenLevel' in spec && spec.tokenLevel !== undefined) needed.push(TOKENS_OF_LEVEL[spec.tokenLevel])
  return [...(spec.description === undefined ? [] : [spec.description]), ...needed].join('\n\n')
}

const TOKENS_OF_LEVEL: Readonly<Record<TokenLevel, string>> = {
  workspace: 'Only for tokens of the workspace, not for those that act for one member.',
  user: 'Only for tokens that act for one member, not for those of the workspace.',
}

const named = (scopes: readonly Scope[]): string => scopes.map((scope) => `\`${scope}\``).join(', ')

function queryParameters(query: TObject | undefined): object[] {
  if (query === undefined) return []
  const required = new Set((query as { required?: string[] }).required) // JSON Schema's own member
  return Object.entries(query.properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.has(name),
    schema,
  }))
}

/** The schema of the body, or the one with all members where the check is looser. */
const documentedBody = (spec: Pick<OpenRouteSpec<TObject, TSchema>, 'body' | 'documentedBody'>): TSchema =>
  spec.documentedBody ?? spec.body ?? Type.Object({})

const jsonBody = (schema: TSchema, spec: DescribedRoute) => ({
  required: !('bodyOptional' in spec && spec.bodyOptional === true),
  content: json(schema),
})

/** The texts of the schema, and the part with the file. */
const uploadBody = (schema: TSchema) => {
  const { properties, required = [] } = schema as { properties?: object; required?: string[] } // JSON Schema's own members
  const file = { type: 'string', format: 'binary' }
  return {
    required: true,
    content: {
      'multipart/form-data': {
        schema: { type: 'object', properties: { file, ...properties }, required: ['file', ...required] },
      },
    },
  }
}

function successOf(spec: DescribedRoute): object {
  const { response, status } = spec
  const others = 'otherTypes' in spec ? (spec.otherTypes ?? []) : []
  const asText = Object.fromEntries(others.map((type) => [type, { schema: { type: 'string' } }]))
  if (response !== undefined || others.length > 0)
    return { description: 'Done', content: { ...(response && json(response)), ...asText } }
  if (status === 204) return { description: 'Done' }
  return {
    description: 'Redirect',
    headers: { Location: { required: true, schema: { type: 'string', format: 'uri' } } },
  }
}

/** What a client gets that follows the redirect of an operation. */
const followed = ({ followedBy }: DescribedRoute): Record<string, object> =>
  followedBy === undefined
    ? {}
    : {
        200: {
          description: 'After the redirect',
          content: { [followedBy]: { schema: { type: 'string', format: 'binary' } } },
        },
      }

const json = (schema: TSchema) => ({ 'application/json': { schema: forGenerators(schema) } })

const ANY_NAME = '^.*$'

/**
 * The same schema in the form that generators read: records as `additionalProperties`, and without alternatives that allow anything,
 * which say that a member is ignored.
 */
function forGenerators(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(forGenerators)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (keyword === 'anyOf')
      return [keyword, (value as object[]).filter((each) => Object.keys(each).length > 0).map(forGenerators)] // schemas
    if (keyword === 'patternProperties' && ANY_NAME in value)
      return ['additionalProperties', forGenerators(value[ANY_NAME])]
    return [keyword, forGenerators(value)]
  })
  const { anyOf, ...rest } = Object.fromEntries(entries)
  if (!Array.isArray(anyOf)) return Object.fromEntries(entries)
  return anyOf.length === 1 ? { ...anyOf[0], ...rest } : { ...rest, anyOf }
}

/** The groups of operations, in the order of the list at /docs. */
const TAGS = {
  Objects: 'Standard and custom objects, whose records have attributes.',
  Attributes: 'The attributes of objects, lists and activities, their options and statuses.',
  Records: 'Records of objects: people, companies, deals and others.',
  Lists: 'Lists of records, with access for members and teams.',
  Activities: 'Things that happen, such as phone calls, and their records.',
  Entries: 'Entries of lists, with attributes of their own.',
  Dashboards: 'Charts over records, entries and saved SQL queries.',
  Views: 'Saved filters, sorts and columns of objects, lists and activities.',
  Jobs: 'Writes to everything that a filter matches, in the background.',
  Notes: 'Notes about records.',
  Tasks: 'Tasks with assignees, deadlines and linked records.',
  Threads: 'Comments about one record or entry.',
  Comments: 'Single comments.',
  Files: 'Files and folders of records.',
  Meetings: 'Meetings with participants and linked records.',
  'Call recordings': 'Recordings and transcripts of meetings.',
  Emails: 'Metadata of emails with people.',
  Sequences: 'Addresses that may not get sequences of emails.',
  SQL: 'Read-only SQL over objects and lists.',
  Events: 'The change feed, in pages and as a stream.',
  Webhooks: 'Webhooks with deliveries, and endpoints to test them.',
  'Workspace members': 'The members of the workspace.',
  OAuth: 'Authorization of apps.',
  SCIM: 'Users and groups for identity providers.',
  Meta: 'The caller itself, and this document.',
} as const

/** The OpenAPI document without its routes. */
export const documentation = (appUrl: string) => ({
  openapi: '3.1.0',
  info: {
    title: 'Relata',
    version: '2.0.0',
    description: 'An open, self-hosted customer relationship data service.',
    contact: { name: 'Relata', url: `${appUrl}/docs` },
    license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
  },
  externalDocs: { url: `${appUrl}/docs/reference`, description: 'Reference: what each part of the API does' },
  servers: [{ url: appUrl }],
  tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  security: securityOf([]),
  components: {
    securitySchemes: {
      oauth2: { type: 'oauth2', flows: { authorizationCode: authorizationCode(appUrl) } },
      bearer: { type: 'http', scheme: 'bearer', description: scopesInWords() },
      basic: { type: 'http', scheme: 'basic', description: 'The token as user name, with an empty password.' },
      client: { type: 'http', scheme: 'basic', description: 'The id of an app as user name, its secret as password.' },
    },
    schemas: { error: ERROR_SCHEMA, oauth_error: OAUTH_ERROR_SCHEMA },
    responses: ERROR_RESPONSES,
  },
})

const authorizationCode = (appUrl: string) => ({
  authorizationUrl: `${appUrl}/authorize`,
  tokenUrl: `${appUrl}/oauth/token`,
  refreshUrl: `${appUrl}/oauth/token`,
  scopes: Object.fromEntries(SCOPES_IN_ORDER.map((scope) => [scope, describeScope(scope)])),
})

const scopesInWords = () =>
  [
    'An API key. Its scopes, each also as `:read`:',
    ...READ_WRITE_SCOPES.map((scope) => `- \`${scope}\`: ${AREAS[scope.split(':')[0] as Area]}`),
  ].join('\n') // every scope begins with its area

/** The error body with the members of RFC 6749, 5.2. */
const OAUTH_ERROR_SCHEMA = {
  type: 'object',
  properties: {
    error: { type: 'string' },
    error_description: { type: 'string' },
    ...ERROR_SCHEMA.properties,
  },
  required: ['error', 'error_description', ...ERROR_SCHEMA.required],
}
