/** An OpenID Connect provider for tests and journeys: `oidc-provider`, which is certified. */

import { exportJWK, generateKeyPair } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'
import { findFreePort } from './service/free-port'

export const CLIENT = { id: 'relata', secret: 'a-secret-of-the-client' }

/** The claims of a user, by the login name that is entered. */
export type Users = Record<string, Readonly<Record<string, unknown>>>

export interface TestProvider {
  readonly issuer: string
  /** Signs in with a name and returns the query of the address to which the browser is sent. */
  signIn(url: string, login: string): Promise<string>
  close(): Promise<void>
}

const HOUR = 3600

/** The certified provider, with its own sign-in and consent pages. A user's claims are in the user info only. */
export async function startProvider(users: Users, redirectUris: () => string[]): Promise<TestProvider> {
  const port = findFreePort()
  const issuer = `http://127.0.0.1:${port}`
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const configuration: Configuration = {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'test' }] },
    clients: [clientOf(redirectUris())],
    cookies: { keys: ['a key of tests'] },
    claims: { email: ['email', 'email_verified'] },
    ttl: { AccessToken: HOUR, AuthorizationCode: 60, Grant: HOUR, IdToken: HOUR, Interaction: HOUR, Session: HOUR },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...users[id] }) }),
  }
  const server = new Provider(issuer, configuration).listen(port)
  return {
    issuer,
    signIn: signInWithForms,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** After a sign-out, the provider returns to the sign-in page of the service. */
const clientOf = (redirect_uris: string[]) => ({
  client_id: CLIENT.id,
  client_secret: CLIENT.secret,
  redirect_uris,
  post_logout_redirect_uris: redirect_uris.map((uri) => new URL('/sign-in', uri).href),
})

/** Does what a browser does: follows redirects, keeps cookies, fills in the forms for the name and the consent. */
async function signInWithForms(url: string, login: string): Promise<string> {
  const cookies = new Map<string, string>()
  let next = new URL(url)
  const { origin } = next
  while (next.origin === origin) {
    const page = await visit(next, cookies)
    const location = page.headers.get('location')
    next = location === null ? await submitForm(next, await page.text(), login, cookies) : new URL(location, next)
  }
  return next.search
}

async function submitForm(at: URL, html: string, login: string, cookies: Map<string, string>): Promise<URL> {
  const action = /action="([^"]+)"/.exec(html)?.[1]
  const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1]
  if (action === undefined || prompt === undefined) throw new Error(`The provider has no form at ${at.href}: ${html}`)
  const body = new URLSearchParams({ prompt, login, password: 'any' })
  const answer = await visit(new URL(action, at), cookies, body)
  return new URL(answer.headers.get('location') ?? '', at)
}

async function visit(url: URL, cookies: Map<string, string>, body?: URLSearchParams): Promise<Response> {
  const Cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
  const method = body === undefined ? 'GET' : 'POST'
  const response = await fetch(url, { method, redirect: 'manual', headers: { Cookie }, ...(body && { body }) })
  for (const header of response.headers.getSetCookie()) {
    const [name = '', value = ''] = header.split(';')[0]?.split(/=(.*)/) ?? []
    cookies.set(name, value)
  }
  return response
}
