/** OpenID Connect providers for tests: `oidc-provider`, and one whose ID tokens a test can falsify. */

import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'

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
  const port = freePort()
  const issuer = `http://127.0.0.1:${port}`
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const configuration: Configuration = {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'test' }] },
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: redirectUris() }],
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

function freePort(): number {
  const probe = Bun.serve({ port: 0, fetch: () => new Response() })
  const port = probe.port ?? 0
  void probe.stop(true)
  return port
}

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

export interface FalseProvider extends TestProvider {
  /** What the next responses falsify. */
  changes: Falsification
}

export interface Falsification {
  /** Claims that replace those of a right ID token. Undefined removes a claim. */
  readonly claims?: Readonly<Record<string, unknown>>
  readonly signature?: 'none' | 'other key' | 'HS256'
  /** The `iss` of the authorization response. */
  readonly responseIssuer?: string
  /** Members that replace those of the metadata. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** A response in place of the one of the token endpoint. */
  readonly tokenResponse?: () => Response
}

/** A provider that makes the ID tokens that a test asks for. */
export async function startFalseProvider(): Promise<FalseProvider> {
  const keys = await generateKeyPair('RS256', { extractable: true })
  const others = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(keys.publicKey)), alg: 'RS256', use: 'sig', kid: 'key' }
  /** The nonce and the name of each code that was not used. */
  const codes = new Map<string, { nonce: string; login: string }>()
  const server = Bun.serve({ port: 0, fetch: answer })
  const issuer = `http://127.0.0.1:${server.port}`
  const provider: FalseProvider = {
    issuer,
    changes: {},
    async signIn(url, login) {
      const { searchParams } = new URL(url)
      const code = crypto.randomUUID()
      codes.set(code, { nonce: searchParams.get('nonce') ?? '', login })
      const iss = provider.changes.responseIssuer ?? issuer
      return `?${new URLSearchParams({ code, state: searchParams.get('state') ?? '', iss })}`
    },
    close: () => server.stop(true),
  }
  return provider

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === '/jwks') return Response.json({ keys: [jwk] })
    if (pathname === '/token') return provider.changes.tokenResponse?.() ?? tokenResponse(await request.formData())
    return Response.json({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: true,
      ...provider.changes.metadata,
    })
  }

  async function tokenResponse(form: Awaited<ReturnType<Request['formData']>>): Promise<Response> {
    const code = String(form.get('code'))
    const found = codes.get(code)
    codes.delete(code)
    if (found === undefined) return Response.json({ error: 'invalid_grant' }, { status: 400 })
    const now = Math.floor(Date.now() / 1000)
    const { nonce, login } = found
    const right = { iss: issuer, sub: login, aud: CLIENT.id, iat: now, exp: now + HOUR, nonce, email_verified: true }
    const claims = { ...right, email: `${login}@example.com`, ...provider.changes.claims } as JWTPayload // a test may set any
    return Response.json({ access_token: 'x', token_type: 'Bearer', id_token: await signed(claims) })
  }

  async function signed(claims: JWTPayload): Promise<string> {
    const { signature } = provider.changes
    if (signature === 'none') return new UnsecuredJWT(claims).encode()
    const alg = signature === 'HS256' ? 'HS256' : 'RS256'
    const secret = new TextEncoder().encode(CLIENT.secret.padEnd(32, ' '))
    const key = alg === 'HS256' ? secret : signature === 'other key' ? others.privateKey : keys.privateKey
    return new SignJWT(claims).setProtectedHeader({ alg, kid: 'key' }).sign(key)
  }
}
