/**
 * What an app asks for by sending a person's browser to /authorize. Who cannot be trusted with an answer gets none: as
 * long as app and redirect address are in doubt, only the person is told.
 * See docs/reference/access-and-oauth.md (Authorization request).
 */

import type { Sql } from '../../../db/connect'
import type { Scope } from '../../scopes'
import { findApp, type App } from '../apps/apps'
import { requestedScopes } from '../scopes'
import { isWellFormed, type Challenge } from './pkce'
import { isRegistered, addParameters } from '../apps/redirect-uri'

export interface AuthorizationRequest {
  readonly app: App
  readonly redirectUri: string
  readonly state: string | undefined
  readonly scopes: readonly Scope[]
  readonly challenge: Challenge | null
  /** The workspace the app would like to be installed in. */
  readonly workspaceId: string | undefined
}

export type AuthorizationErrorCode =
  'invalid_request' | 'unsupported_response_type' | 'access_denied' | 'server_error' | 'temporarily_unavailable'

export type AuthorizationResult =
  | { readonly kind: 'asked'; readonly request: AuthorizationRequest }
  /** For the app, by way of the browser. */
  | { readonly kind: 'refused'; readonly location: string }
  /** For the person alone. */
  | { readonly kind: 'untrusted'; readonly problem: string }

/** Every parameter that means something here. */
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
] as const

type Parameters = Readonly<Partial<Record<(typeof NAMES)[number], string>>>

export interface AuthorizationError {
  readonly error: AuthorizationErrorCode
  readonly description: string
}

export async function readAuthorizationRequest(
  sql: Sql,
  query: URLSearchParams,
  issuer: string,
): Promise<AuthorizationResult> {
  const parameters = readParameters(query)
  const trusted = await findTrusted(sql, query, parameters)
  if ('problem' in trusted) return { kind: 'untrusted', problem: trusted.problem }
  const { app, redirectUri } = trusted
  const { state } = parameters

  const refusal = errorOf(query, parameters, app)
  if (refusal !== undefined) return { kind: 'refused', location: errorRedirect(redirectUri, state, issuer, refusal) }
  const request = {
    app,
    redirectUri,
    state,
    scopes: requestedScopes(app.scopes, parameters.scope),
    challenge: challengeOf(parameters),
    workspaceId: parameters.workspace_id,
  }
  return { kind: 'asked', request }
}

/** Where a refusal leads. RFC 6749, 4.1.2.1; RFC 9207. */
export const errorRedirect = (
  redirectUri: string,
  state: string | undefined,
  issuer: string,
  { error, description }: AuthorizationError,
): string => addParameters(redirectUri, { error, error_description: description, state, iss: issuer })

/** Empty ones count as left out, of repeated ones none is believed. RFC 6749, 3.1. */
function readParameters(query: URLSearchParams): Parameters {
  const entries = NAMES.flatMap((name) => {
    const [value, ...others] = query.getAll(name)
    return value === undefined || value === '' || others.length > 0 ? [] : [[name, value] as const]
  })
  return Object.fromEntries(entries)
}

type Trusted = { readonly app: App; readonly redirectUri: string } | { readonly problem: string }

async function findTrusted(sql: Sql, query: URLSearchParams, parameters: Parameters): Promise<Trusted> {
  for (const name of ['client_id', 'redirect_uri']) {
    if (query.getAll(name).length > 1) return { problem: `The address names "${name}" more than once.` }
  }
  const { client_id, redirect_uri } = parameters
  if (client_id === undefined) return { problem: 'The address does not say which app asks: "client_id" is missing.' }
  const app = await findApp(sql, client_id)
  if (app === undefined) return { problem: 'There is no app with this "client_id".' }
  if (redirect_uri === undefined)
    return { problem: 'The address does not say where to return to: "redirect_uri" is missing.' }
  if (!isRegistered(redirect_uri, app.redirect_uris)) {
    return { problem: 'The app did not register this "redirect_uri", so nothing is sent there.' }
  }
  return { app, redirectUri: redirect_uri }
}

function errorOf(query: URLSearchParams, parameters: Parameters, app: App): AuthorizationError | undefined {
  const invalid = (description: string): AuthorizationError => ({ error: 'invalid_request', description })
  const repeated = NAMES.find((name) => query.getAll(name).length > 1)
  if (repeated !== undefined) return invalid(`${repeated} stands more than once`)
  // No database can hold it, so it could not be returned unchanged.
  if (parameters.state?.includes('\0')) return invalid('state must not contain NUL')
  if (parameters.response_type === undefined) return invalid('response_type is missing')
  if (parameters.response_type !== 'code') {
    return { error: 'unsupported_response_type', description: 'response_type must be code' }
  }
  if (parameters.prompt?.split(' ').includes('none')) {
    return { error: 'access_denied', description: 'Consent is asked for every time, so prompt=none cannot be granted' }
  }
  const problem = problemOfChallenge(parameters, app)
  return problem === undefined ? undefined : invalid(problem)
}

function problemOfChallenge({ code_challenge, code_challenge_method }: Parameters, app: App): string | undefined {
  if (code_challenge === undefined) {
    if (code_challenge_method !== undefined) return 'code_challenge is missing'
    return app.is_public ? 'code_challenge is missing: this app is public and must use PKCE' : undefined
  }
  if (!isWellFormed(code_challenge)) return 'code_challenge must be 43 to 128 letters, digits, or one of - . _ ~'
  const method = code_challenge_method ?? 'plain'
  if (method === 'S256') return undefined
  if (method !== 'plain') return 'code_challenge_method must be S256'
  const isAllowed = app.allows_plain_pkce && !app.is_public
  return isAllowed ? undefined : 'code_challenge_method must be S256; plain, which its absence means, is not allowed'
}

const challengeOf = ({ code_challenge, code_challenge_method }: Parameters): Challenge | null =>
  code_challenge === undefined
    ? null
    : { challenge: code_challenge, method: code_challenge_method === 'S256' ? 'S256' : 'plain' }
