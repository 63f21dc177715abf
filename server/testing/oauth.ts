/** The steps of OAuth as a browser and an app take them, for tests. */

import { TOKENS_CHANNEL } from '#access/tokens/tokens'
import type { App, AppDetails } from '#access/oauth/apps/apps'
import { s256 } from '#access/oauth/authorize/codes'
import { registerApp } from '#access/oauth/apps/register-app'
import type { AnswerBody } from './client'
import type { Person } from './people'
import type { TestService } from './service'

export interface TestApp {
  readonly app: App
  readonly secret: string
}

export const REDIRECT = 'https://app.example.com/callback'
export const VERIFIER = 'a-verifier-that-is-long-enough-to-be-one-0123456789'
export const CHALLENGE = { code_challenge: s256(VERIFIER), code_challenge_method: 'S256' }

const SETTINGS: AppDetails = {
  name: 'Example app',
  description: null,
  developer_name: 'Example Ltd',
  website_url: 'https://app.example.com',
  logo_url: null,
  is_public: false,
  is_published: false,
  redirect_uris: [REDIRECT],
  scopes: ['record_permission:read-write', 'object_configuration:read'],
  allows_plain_pkce: false,
  uses_refresh_tokens: false,
}

export async function makeApp(
  { db, appContext, workspaceId }: TestService,
  settings: Partial<AppDetails> = {},
): Promise<TestApp> {
  const auditContext = { actor: null, now: appContext.now() }
  const { app, secret } = await registerApp(db, workspaceId, { ...SETTINGS, ...settings }, auditContext)
  return { app, secret: secret ?? '' }
}

export type Query = Readonly<Record<string, string | undefined>>

/** Returns the query of an authorization request. Undefined leaves a parameter out. */
export const authorizeQuery = ({ app }: TestApp, query: Query = {}): URLSearchParams => {
  const all = { response_type: 'code', client_id: app.id, redirect_uri: REDIRECT, state: 'xyz', ...CHALLENGE, ...query }
  return new URLSearchParams(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/** Opens /authorize as a browser does. */
export const openAuthorize = (service: TestService, query: URLSearchParams): Promise<Response> =>
  service.app.handle(new Request(`http://localhost/authorize?${query}`))

export async function showConsent(person: Person, query: URLSearchParams) {
  const { status, body } = await person.ask('GET', `/console/api/authorize?${query}`)
  if (status !== 200) throw new Error(`No consent page: ${JSON.stringify(body)}`)
  return body.data
}

/** Sends the form of the consent page as the browser of the person does. */
export const sendForm = (service: TestService, person: Person, form: Readonly<Record<string, string>>) =>
  service.app.handle(
    new Request('http://localhost/authorize', {
      method: 'POST',
      headers: { ...person.headers, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    }),
  )

/** Runs all steps up to the redirect to the app. Returns the URL of the redirect. */
export async function consent(
  service: TestService,
  person: Person,
  app: TestApp,
  { query = {}, workspaceId = service.workspaceId }: { query?: Query; workspaceId?: string } = {},
): Promise<URL> {
  const { consent_token } = await showConsent(person, authorizeQuery(app, query))
  const answer = await sendForm(service, person, { consent_token, workspace_id: workspaceId, decision: 'allow' })
  if (answer.status !== 303) throw new Error(`${answer.status} ${await answer.text()}`)
  return new URL(answer.headers.get('location') ?? '')
}

export interface FormAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: AnswerBody
}

/** Sends a request to a token endpoint. Undefined leaves a parameter out. */
export async function post(
  service: TestService,
  path: string,
  parameters: Query,
  headers: Readonly<Record<string, string>> = {},
): Promise<FormAnswer> {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const response = await service.app.handle(
    new Request(`http://localhost${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(given).toString(),
    }),
  )
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
}

/** Redeems a code with valid parameters, which `parameters` override. */
export const redeem = (service: TestService, { app, secret }: TestApp, code: string, parameters: Query = {}) =>
  post(service, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: app.id,
    ...(app.is_public ? {} : { client_secret: secret }),
    code,
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
    ...parameters,
  })

/** Runs `act`, which ends tokens, and waits until every process got the notification. */
export async function endTokens<T>({ db }: TestService, act: () => Promise<T>): Promise<T> {
  const heard = Promise.withResolvers<void>()
  const listener = await db.sql.listen(TOKENS_CHANNEL, () => heard.resolve())
  const result = await act()
  await heard.promise
  await listener.unlisten()
  return result
}

/** Runs all steps up to the tokens. */
export async function connect(service: TestService, person: Person, app: TestApp) {
  const code = (await consent(service, person, app)).searchParams.get('code') ?? ''
  const { body } = await redeem(service, app, code)
  return { code, accessToken: String(body.access_token), tokens: body }
}
