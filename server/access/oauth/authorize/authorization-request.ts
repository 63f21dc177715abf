/**
 * Parses the authorization request that a browser sends to /authorize. The app can get an error only when its client_id and
 * redirect URI are valid. Otherwise only the person sees the problem.
 * See docs/reference/access-and-oauth.md (Authorization request).
 */

import type { Sql, Transaction } from '#db/connect'
import type { Language } from '#vocabulary/languages'
import { type Scope, TOKEN_LEVELS, type TokenLevel } from '#vocabulary/scopes'
import { type App, findApp } from '#access/oauth/apps/apps'
import { hasGrant } from '#access/oauth/tokens/grants'
import { requestedScopes } from '#access/oauth/requested-scopes'
import type { TokenResource } from '#access/tokens/tokens'
import { readResource } from '#access/oauth/metadata'
import { type Challenge, isWellFormed } from './codes'
import { isRegistered, addParameters } from '#access/oauth/apps/redirect-uri'

export interface AuthorizationRequest {
  readonly app: App
  readonly redirectUri: string
  readonly state: string | undefined
  readonly scopes: readonly Scope[]
  readonly challenge: Challenge | null
  readonly resource: TokenResource
  readonly level: TokenLevel
  /** The workspace that the app suggests. */
  readonly workspaceId: string | undefined
}

export type AuthorizationErrorCode =
  | 'invalid_request'
  | 'invalid_target'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'server_error'
  | 'temporarily_unavailable'

export type AuthorizationResult =
  | { readonly kind: 'valid'; readonly request: AuthorizationRequest }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** There is no redirect URI to which the error could be sent. */
  | { readonly kind: 'untrusted'; readonly problem: LinkProblem }

/** An error for an app whose redirect URI is registered. */
export interface Refusal {
  readonly app: App
  readonly redirectUri: string
  readonly state: string | undefined
  readonly error: AuthorizationError
}

/** The parameters that the service reads. */
const NAMES = [
  'response_type',
  'client_id',
  'redirect_uri',
  'state',
  'code_challenge',
  'code_challenge_method',
  'scope',
  'prompt',
  'login_hint',
  'workspace_id',
  'resource',
  'token_level',
] as const

type Parameters = Readonly<Partial<Record<(typeof NAMES)[number], string>>>

export interface AuthorizationError {
  readonly error: AuthorizationErrorCode
  readonly description: string
  /** Whether the person declined. */
  readonly isByPerson?: boolean
}

export async function readAuthorizationRequest(
  sql: Sql,
  query: URLSearchParams,
  issuer: string,
): Promise<AuthorizationResult> {
  const parameters = readParameters(query)
  const trusted = await findTrustedApp(sql, query, parameters)
  if ('problem' in trusted) return { kind: 'untrusted', problem: trusted.problem }
  const { app, redirectUri } = trusted
  const { state } = parameters

  const resource = readResource(app, parameters.resource, issuer)
  const error = errorOf(query, parameters, app)
  if (error !== undefined) return { kind: 'refused', refusal: { app, redirectUri, state, error } }
  if (resource === 'unknown') return { kind: 'refused', refusal: { app, redirectUri, state, error: INVALID_TARGET } }
  const request = {
    app,
    redirectUri,
    state,
    scopes: requestedScopes(app.scopes, parameters.scope),
    challenge: challengeOf(parameters),
    resource,
    level: levelOf(parameters) ?? 'workspace',
    workspaceId: parameters.workspace_id,
  }
  return { kind: 'valid', request }
}

const INVALID_TARGET: AuthorizationError = {
  error: 'invalid_target',
  description: 'resource is not one of this service, or not one for this client',
}

/** Returns the redirect URI with an error. RFC 6749, 4.1.2.1; RFC 9207. */
export const errorRedirect = (
  { redirectUri, state, error: { error, description } }: Omit<Refusal, 'app'>,
  issuer: string,
): string => addParameters(redirectUri, { error, error_description: description, state, iss: issuer })

/**
 * Whether an error may redirect the browser without a click. Anyone can register a client with a redirect URI of their own, so such
 * a client is trusted only when it has a grant in one of these workspaces, those of the person. RFC 9700, 4.11.2.
 */
export const mayRedirectErrors = async (
  connection: Sql | Transaction,
  app: App,
  workspaceIds: readonly string[],
): Promise<boolean> => app.workspace_id !== null || (await hasGrant(connection, app.id, workspaceIds))

/** Leaves out empty and repeated parameters. RFC 6749, 3.1. */
function readParameters(query: URLSearchParams): Parameters {
  const entries = NAMES.flatMap((name) => {
    const [value, ...others] = query.getAll(name)
    return value === undefined || value === '' || others.length > 0 ? [] : [[name, value] as const]
  })
  return Object.fromEntries(entries)
}

type TrustedApp = { readonly app: App; readonly redirectUri: string } | { readonly problem: LinkProblem }

export type LinkProblem = keyof typeof LINK_PROBLEMS

/** Why the app gets no answer, as the page says it. */
export const LINK_PROBLEMS = {
  clientRepeated: {
    en: 'The address names "client_id" more than once.',
    de: 'Die Adresse enthält „client_id“ mehr als einmal.',
  },
  redirectRepeated: {
    en: 'The address names "redirect_uri" more than once.',
    de: 'Die Adresse enthält „redirect_uri“ mehr als einmal.',
  },
  clientMissing: {
    en: 'The address does not name an app: "client_id" is missing.',
    de: 'Die Adresse nennt keine App: „client_id“ fehlt.',
  },
  clientUnknown: {
    en: 'There is no app with this "client_id".',
    de: 'Es gibt keine App mit dieser „client_id“.',
  },
  redirectMissing: {
    en: 'The address does not say where to return to: "redirect_uri" is missing.',
    de: 'Die Adresse sagt nicht, wohin die Antwort geht: „redirect_uri“ fehlt.',
  },
  redirectUnknown: {
    en: 'The app did not register this "redirect_uri", so nothing is sent there.',
    de: 'Die App hat diese „redirect_uri“ nicht registriert, daher wird nichts dorthin gesendet.',
  },
} as const satisfies Record<string, Record<Language, string>>

async function findTrustedApp(sql: Sql, query: URLSearchParams, parameters: Parameters): Promise<TrustedApp> {
  if (query.getAll('client_id').length > 1) return { problem: 'clientRepeated' }
  if (query.getAll('redirect_uri').length > 1) return { problem: 'redirectRepeated' }
  const { client_id, redirect_uri } = parameters
  if (client_id === undefined) return { problem: 'clientMissing' }
  const app = await findApp(sql, client_id)
  if (app === undefined) return { problem: 'clientUnknown' }
  if (redirect_uri === undefined) return { problem: 'redirectMissing' }
  if (!isRegistered(redirect_uri, app.redirect_uris)) return { problem: 'redirectUnknown' }
  return { app, redirectUri: redirect_uri }
}

function errorOf(query: URLSearchParams, parameters: Parameters, app: App): AuthorizationError | undefined {
  const invalid = (description: string): AuthorizationError => ({ error: 'invalid_request', description })
  const repeated = NAMES.find((name) => query.getAll(name).length > 1)
  if (repeated !== undefined) return invalid(`${repeated} is repeated`)
  // PostgreSQL cannot store NUL, so the state could not be returned unchanged.
  if (parameters.state?.includes('\0')) return invalid('state must not contain NUL')
  if (parameters.response_type === undefined) return invalid('response_type is missing')
  if (parameters.response_type !== 'code') {
    return { error: 'unsupported_response_type', description: 'response_type must be code' }
  }
  if (levelOf(parameters) === undefined) return invalid('token_level must be workspace or user')
  if (parameters.prompt?.split(' ').includes('none')) {
    return { error: 'access_denied', description: 'The person must consent each time, so prompt=none is not supported' }
  }
  const problem = findChallengeProblem(parameters, app)
  return problem === undefined ? undefined : invalid(problem)
}

const levelOf = ({ token_level = 'workspace' }: Parameters): TokenLevel | undefined =>
  TOKEN_LEVELS.find((level) => level === token_level)

function findChallengeProblem({ code_challenge, code_challenge_method }: Parameters, app: App): string | undefined {
  if (code_challenge === undefined) {
    if (code_challenge_method !== undefined) return 'code_challenge is missing'
    return app.is_public ? 'code_challenge is missing: this app is public and must use PKCE' : undefined
  }
  if (!isWellFormed(code_challenge)) return 'code_challenge must be 43 to 128 letters, digits, or one of - . _ ~'
  const method = code_challenge_method ?? 'plain'
  if (method === 'S256') return undefined
  if (method !== 'plain') return 'code_challenge_method must be S256'
  const isAllowed = app.allows_plain_pkce && !app.is_public
  return isAllowed ? undefined : 'code_challenge_method must be S256; the default, plain, is not allowed'
}

const challengeOf = ({ code_challenge, code_challenge_method }: Parameters): Challenge | null =>
  code_challenge === undefined
    ? null
    : { challenge: code_challenge, method: code_challenge_method === 'S256' ? 'S256' : 'plain' }
