/** An OpenID Connect provider for tests, whose ID tokens a test can falsify. */

import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose'
import type { TestService } from './service'
import { CLIENT, type TestProvider } from '../../e2e/support/openid-provider'

const HOUR = 3600

export interface FalseProvider extends TestProvider {
  /** What the next responses falsify. */
  changes: Falsification
  /** The refresh token that is accepted and given; none without a text. */
  refreshToken: string
  /** How often it was used. */
  refreshes: number
  /** The access token that `/introspect` calls active. */
  activeToken: string
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

/** Makes the access tokens of all connected accounts end, as far as the service knows, and the accounts due. */
export async function endTokens({ db: { secrets, sql } }: Pick<TestService, 'db'>): Promise<void> {
  const rows = await sql<{ workspace_id: string; id: string; secret: string }[]>`
    select workspace_id, id, secret from relata.connected_accounts`
  for (const { workspace_id, id, secret } of rows) {
    const place = { table: 'connected_accounts', key: [workspace_id, id] } as const
    const ended = { ...JSON.parse(secrets.decrypt(place, secret) ?? ''), expires_at: 0 }
    await sql.begin(async (tx) => {
      const encrypted = await secrets.encrypt(tx, place, JSON.stringify(ended))
      await tx`update relata.connected_accounts set secret = ${encrypted}, due_at = now() where id = ${id}`
    })
  }
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
    refreshToken: '',
    refreshes: 0,
    activeToken: 'first',
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
    if (pathname === '/introspect') return introspected(String((await request.formData()).get('token')))
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
    if (form.get('grant_type') === 'refresh_token') return refreshed(form.get('refresh_token'))
    const code = String(form.get('code'))
    const found = codes.get(code)
    codes.delete(code)
    if (found === undefined) return Response.json({ error: 'invalid_grant' }, { status: 400 })
    const now = Math.floor(Date.now() / 1000)
    const { nonce, login } = found
    // Without a nonce, the sign-in is for a token and not for a person.
    if (nonce === '') return Response.json(tokens('first'))
    const right = { iss: issuer, sub: login, aud: CLIENT.id, iat: now, exp: now + HOUR, nonce, email_verified: true }
    const claims = { ...right, email: `${login}@example.com`, ...provider.changes.claims } as JWTPayload // a test may set any
    return Response.json({ access_token: 'x', token_type: 'Bearer', id_token: await signed(claims) })
  }

  /** The access token says how it was made. */
  function tokens(name: string) {
    const refresh = provider.refreshToken === '' ? {} : { refresh_token: provider.refreshToken }
    return { access_token: name, token_type: 'Bearer', expires_in: HOUR, ...refresh }
  }

  /** RFC 7662. */
  function introspected(token: string): Response {
    return Response.json(token === provider.activeToken ? { active: true, username: 'ada' } : { active: false })
  }

  function refreshed(given: unknown): Response {
    const refusal = { error: 'invalid_grant', error_description: 'Token was revoked' }
    if (given !== provider.refreshToken) return Response.json(refusal, { status: 400 })
    return Response.json(tokens(`refresh ${++provider.refreshes}`))
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
