/** The browser of an admin and an app, for the authorization flow. */

import * as oauth from 'oauth4webapi'
import type { Service } from '../service/service'

export const REDIRECT = 'https://app.example.com/callback'
const PASSWORD = 'correct horse battery'

/** The settings of `startService` that create an admin with this password. */
export const SETTINGS = { RELATA_ADMIN_PASSWORD: PASSWORD }

const ADMIN = { email_address: 'admin@relata.local', password: PASSWORD }

export interface Browser {
  readonly workspaceId: string
  /** The headers of all requests of the console: the session cookie and the CSRF token. */
  readonly headers: Readonly<Record<string, string>>
  /** Sends a request of the console. */
  ask(method: string, path: string, body?: object): Promise<{ status: number; data: Record<string, unknown> }>
  /** Opens an authorization URL, grants the request, and returns the URL of the redirect. */
  allow(address: URL): Promise<URL>
}

/** Signs in, as the admin unless `account` is another one. */
export async function openBrowser({ url }: Pick<Service, 'url'>, account = ADMIN): Promise<Browser> {
  const json = { 'Content-Type': 'application/json' }
  const body = JSON.stringify(account)
  const signedIn = await fetch(`${url}/console/api/sign-in`, { method: 'POST', headers: json, body })
  const Cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const session = await (await fetch(`${url}/console/api/session`, { headers: { Cookie } })).json()
  const headers = { ...json, Cookie, 'X-CSRF-Token': session.data.csrf_token, 'Sec-Fetch-Site': 'same-origin' }

  const ask: Browser['ask'] = async (method, path, sent) => {
    const init = { method, headers, ...(sent === undefined ? {} : { body: JSON.stringify(sent) }) }
    const answer = await fetch(`${url}/console/api${path}`, init)
    return { status: answer.status, data: (await answer.json()).data }
  }
  const workspaceId = String(session.data.workspaces[0].id)
  return {
    workspaceId,
    headers,
    ask,
    async allow(address) {
      const { data } = await ask('GET', `/authorize${address.search}`)
      const form = new URLSearchParams({
        consent_token: String(data.consent_token),
        workspace_id: String(data.workspace_id),
        decision: 'allow',
      })
      const type = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' }
      const init = { method: 'POST', headers: { Cookie, ...type }, body: form, redirect: 'manual' } as const
      const answer = await fetch(`${url}/authorize`, init)
      return new URL(answer.headers.get('location') ?? 'none:')
    },
  }
}

export interface TestClient {
  readonly server: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly secret: string
}

/** An app that the console created, and a client that was configured by discovery. */
export async function registerClient({ url }: Service, browser: Browser, more: object = {}): Promise<TestClient> {
  const app = {
    name: 'Sync',
    redirect_uris: [REDIRECT],
    scopes: ['record_permission:read', 'object_configuration:read'],
  }
  const { data } = await browser.ask('POST', `/workspaces/${browser.workspaceId}/apps`, { ...app, ...more })
  const issuer = new URL(`http://localhost:${new URL(url).port}`)
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...LOCAL })
  const server = await oauth.processDiscoveryResponse(issuer, found)
  return { server, client: { client_id: String(data.client_id) }, secret: String(data.client_secret ?? '') }
}

/** The service under test has no TLS. */
export const LOCAL = { [oauth.allowInsecureRequests]: true }

/** The authorization URL of an app. Parameters that are undefined are left out. */
export async function authorizeUrl(
  { server, client }: TestClient,
  verifier: string,
  changes: Readonly<Record<string, string | undefined>> = {},
): Promise<URL> {
  const parameters = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: REDIRECT,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...changes,
  }
  const url = new URL(server.authorization_endpoint ?? 'none:')
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value)
  return url
}
