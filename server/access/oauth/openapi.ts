/**
 * The operations of OAuth in the OpenAPI document.
 * See docs/reference/access-and-oauth.md (Token endpoint, Introspection).
 */

import { Type, type TSchema } from 'typebox'
import { IntrospectionSchema } from '#access/tokens/introspection'
import { ClientMetadata } from './clients'

const tags = ['OAuth']

const CLIENT = {
  client_id: Type.Optional(
    Type.String({ description: 'The id of the app, unless the Authorization header contains it.' }),
  ),
  client_secret: Type.Optional(Type.String({ description: 'Absent for a public app.' })),
}

const TokenInput = Type.Object({
  grant_type: Type.Enum(['authorization_code', 'refresh_token']),
  ...CLIENT,
  code: Type.Optional(Type.String({ description: 'From the redirect of `/authorize`. It works once.' })),
  redirect_uri: Type.Optional(
    Type.String({ format: 'uri', description: 'The redirect URI of the authorization request.' }),
  ),
  code_verifier: Type.Optional(Type.String({ description: 'Required if `code_challenge` was sent to `/authorize`.' })),
  refresh_token: Type.Optional(Type.String()),
  scope: Type.Optional(Type.String({ description: 'Fewer scopes than granted, for a refresh token.' })),
  resource: Type.Optional(
    Type.String({ format: 'uri', description: 'As in the authorization request, or less. RFC 8707.' }),
  ),
})

const TokenOutput = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Optional(Type.Integer({ description: 'In seconds. Only for apps with refresh tokens.' })),
  refresh_token: Type.Optional(Type.String()),
  scope: Type.Optional(Type.String({ description: 'Separated by spaces.' })),
})

const token = Type.String({ description: 'An access token of the app.' })
const IntrospectInput = Type.Object({ ...CLIENT, token: Type.Optional(token) })
const RevokeInput = Type.Object({
  ...CLIENT,
  token: Type.String({ description: 'An access token or a refresh token of the app.' }),
  token_type_hint: Type.Optional(Type.Enum(['access_token', 'refresh_token'])),
})

const RegisteredClient = Type.Object({
  client_id: Type.String({ format: 'uuid' }),
  client_id_issued_at: Type.Integer({ description: 'In seconds since 1970.' }),
  ...ClientMetadata.properties,
})

/** `GET /authorize`, which a browser opens. */
export const authorize: object = {
  operationId: 'authorize',
  summary: 'Request authorization for an app',
  description:
    'Opened in a browser. The person signs in, chooses a workspace and decides; then the browser is sent back to ' +
    '`redirect_uri` with `code`, or with `error`, and with `state` and `iss`. Scopes belong to the app: `scope` can only name fewer.',
  tags,
  security: [],
  parameters: [
    parameter('response_type', { const: 'code' }, true),
    parameter('client_id', { type: 'string' }, true),
    parameter('redirect_uri', { type: 'string', format: 'uri' }, true),
    parameter('state', { type: 'string' }),
    parameter('scope', { type: 'string' }),
    parameter('code_challenge', { type: 'string', minLength: 43, maxLength: 128 }),
    parameter('code_challenge_method', { type: 'string', enum: ['S256', 'plain'] }),
    parameter('workspace_id', { type: 'string', format: 'uuid' }),
    parameter('resource', { type: 'string', format: 'uri' }),
  ],
  responses: {
    200: { description: 'The consent page', content: { 'text/html': {} } },
    302: {
      description: 'A redirect to the app with an error',
      headers: { Location: { required: true, schema: { type: 'string', format: 'uri' } } },
    },
    400: {
      description: 'The app or its redirect URI is unknown; the response is a page',
      content: { 'text/html': {} },
    },
  },
}

export const exchangeToken = {
  operationId: 'exchangeToken',
  summary: 'Exchange a code or a refresh token for an access token',
  description:
    'RFC 6749, with PKCE (RFC 7636). The app authenticates with its secret, or is public and sends `client_id`.',
  tags,
  security: [{ client: [] }, {}],
  requestBody: bodyOf(TokenInput, true),
  responses: { 200: answerOf(TokenOutput), ...errors() },
}

export const introspectToken = {
  operationId: 'introspectToken',
  summary: 'Identify a token',
  description:
    'Of a token that is presented as Bearer, without a body; or of the `token` in the body, for the app that it belongs to. ' +
    'Of every other token the answer is `{"active": false}`.',
  tags,
  security: [{ oauth2: [] }, { bearer: [] }, { client: [] }, {}],
  requestBody: bodyOf(IntrospectInput, false),
  responses: { 200: answerOf(IntrospectionSchema), ...errors() },
}

export const revokeTokenOperation = {
  operationId: 'revokeToken',
  summary: 'Revoke a token',
  description: 'Ends the whole grant. The response is also 200 for a token that is unknown or belongs to another app.',
  tags,
  security: [{ client: [] }, {}],
  requestBody: bodyOf(RevokeInput, true),
  responses: { 200: { description: 'Done; the body is empty' }, ...errors() },
}

/** `POST /oauth/register`, whose body is JSON only. */
export const registerClientOperation = {
  operationId: 'registerClient',
  summary: 'Register a client for assistants',
  description:
    'Dynamic client registration of RFC 7591. The client is public, must use PKCE, and gets tokens for `/mcp` only. ' +
    'A client that no admin allowed within a week is deleted.',
  tags,
  security: [],
  requestBody: { required: true, content: { 'application/json': { schema: ClientMetadata } } },
  responses: { 201: answerOf(RegisteredClient), ...errors() },
}

function parameter(name: string, schema: object, required = false) {
  return { name, in: 'query', required, schema }
}

/** The body is a form, as the standard says, or JSON. */
function bodyOf(schema: TSchema, required: boolean) {
  return { required, content: { 'application/x-www-form-urlencoded': { schema }, 'application/json': { schema } } }
}

function answerOf(schema: TSchema) {
  return { description: 'Done', content: { 'application/json': { schema } } }
}

function errors() {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/oauth_error' } } }
  return {
    400: { description: 'A parameter is missing or not valid', content },
    401: { description: 'The app is unknown, or its authentication failed', content },
    429: { description: 'The caller failed too often; `Retry-After` names the time of the next request', content },
    500: { description: 'Something went wrong inside the service', content },
  }
}
