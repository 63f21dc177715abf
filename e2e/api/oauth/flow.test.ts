/**
 * An app gets access with a client library that validates every response. The table has the points of RFC 9700.
 * See docs/reference/access-and-oauth.md (Authorization request).
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import * as oauth from 'oauth4webapi'
import {
  authorizeUrl,
  LOCAL,
  openBrowser,
  REDIRECT,
  registerClient,
  SETTINGS,
  type Browser,
  type TestClient,
} from '../../support/http/oauth'
import { startService, type Service } from '../../support/service/service'
import { startProcess } from '../../support/service/start'

let service: Service
let browser: Browser
let app: TestClient
beforeAll(async () => {
  service = await startService(SETTINGS)
  browser = await openBrowser(service)
  app = await registerClient(service, browser)
})
afterAll(() => service.close())

const post = ({ secret }: TestClient) => oauth.ClientSecretPost(secret)
const basic = ({ secret }: TestClient) => oauth.ClientSecretBasic(secret)

/** Runs the steps from the authorization request to the validated response in the redirect URI. */
async function authorize(of: TestClient, verifier: string, changes: Record<string, string | undefined> = {}) {
  const state = oauth.generateRandomState()
  const address = await browser.allow(await authorizeUrl(of, verifier, { state, ...changes }))
  return oauth.validateAuthResponse(of.server, of.client, address, state)
}

async function redeem(of: TestClient, answer: URLSearchParams, verifier: string, by = post(of), redirect = REDIRECT) {
  const response = await oauth.authorizationCodeGrantRequest(
    of.server,
    of.client,
    by,
    answer,
    redirect,
    verifier,
    LOCAL,
  )
  return oauth.processAuthorizationCodeResponse(of.server, of.client, response)
}

const statusWith = async (token: string, url = service.url) =>
  (await fetch(`${url}/v2/objects`, { headers: { Authorization: `Bearer ${token}` } })).status

describe('an app with a secret', () => {
  test.each([
    ['in the body', post],
    ['in the header', basic],
  ] as const)('is let in, its secret %s; uses its token, looks at it, and gives it back', async (_, by) => {
    const verifier = oauth.generateRandomCodeVerifier()
    const { access_token } = await redeem(app, await authorize(app, verifier), verifier, by(app))
    expect(await statusWith(access_token)).toBe(200)

    const looked = await oauth.introspectionRequest(app.server, app.client, by(app), access_token, LOCAL)
    const introspection = await oauth.processIntrospectionResponse(app.server, app.client, looked)
    expect(introspection).toMatchObject({ active: true, client_id: app.client.client_id, sub: browser.workspaceId })

    const revoked = await oauth.revocationRequest(app.server, app.client, by(app), access_token, LOCAL)
    expect(await oauth.processRevocationResponse(revoked)).toBeUndefined()
    while ((await statusWith(access_token)) !== 401);
  })
})

describe('an app without a secret', () => {
  test('gets access with PKCE, and new tokens for its refresh token', async () => {
    const open = await registerClient(service, browser, { is_public: true, uses_refresh_tokens: true })
    const verifier = oauth.generateRandomCodeVerifier()
    const first = await redeem(open, await authorize(open, verifier), verifier, oauth.None())
    expect([first.expires_in, first.scope]).toEqual([3600, 'record_permission:read object_configuration:read'])
    const again = await oauth.refreshTokenGrantRequest(
      open.server,
      open.client,
      oauth.None(),
      first.refresh_token ?? '',
      LOCAL,
    )
    const second = await oauth.processRefreshTokenResponse(open.server, open.client, again)
    expect(await statusWith(second.access_token)).toBe(200)
  })
})

describe('RFC 9700', () => {
  const verifier = oauth.generateRandomCodeVerifier()
  const none = { code_challenge: undefined, code_challenge_method: undefined }
  const failsWith = (error: string) => ({ error })
  const failure = (attempt: Promise<unknown>): Promise<unknown> =>
    attempt.then(
      () => ({ error: 'none' }),
      (reason) => reason,
    )
  const opens = async (changes: Record<string, string | undefined>, of = app) =>
    fetch(await authorizeUrl(of, verifier, changes), { redirect: 'manual' })

  const points: [section: string, what: string, attempt: () => Promise<unknown>, error: string][] = [
    [
      '2.1',
      'a redirect address that is not registered',
      async () => ({ error: `page ${(await opens({ redirect_uri: `${REDIRECT}/x` })).status}` }),
      'page 400',
    ],
    [
      '2.1.1',
      'a code with a wrong verifier',
      async () => failure(redeem(app, await authorize(app, verifier), oauth.generateRandomCodeVerifier())),
      'invalid_grant',
    ],
    [
      '2.1.1',
      'a challenge, and no verifier',
      async () => {
        const response = await oauth.authorizationCodeGrantRequest(
          app.server,
          app.client,
          post(app),
          await authorize(app, verifier),
          REDIRECT,
          oauth.nopkce,
          LOCAL,
        )
        return failure(oauth.processAuthorizationCodeResponse(app.server, app.client, response))
      },
      'invalid_grant',
    ],
    [
      '2.1.1',
      'a public app without PKCE',
      async () => {
        const open = await registerClient(service, browser, { is_public: true })
        const { headers } = await opens(none, open)
        return failure(
          Promise.resolve().then(() =>
            oauth.validateAuthResponse(
              open.server,
              open.client,
              new URL(headers.get('location') ?? 'none:'),
              oauth.expectNoState,
            ),
          ),
        )
      },
      'invalid_request',
    ],
    [
      '2.1.2',
      'the implicit grant',
      async () => {
        const { headers } = await opens({ response_type: 'token' })
        return { error: new URL(headers.get('location') ?? 'none:').searchParams.get('error') }
      },
      'unsupported_response_type',
    ],
    [
      '4.5',
      'a code that was used',
      async () => {
        const answer = await authorize(app, verifier)
        const { access_token } = await redeem(app, answer, verifier)
        const second = await failure(redeem(app, answer, verifier))
        while ((await statusWith(access_token)) !== 401);
        return second
      },
      'invalid_grant',
    ],
    [
      '4.5',
      'a code of another app',
      async () => failure(redeem(await registerClient(service, browser), await mixedUp(), verifier)),
      'invalid_grant',
    ],
    [
      '4.5',
      'another redirect address than the code was asked for with',
      async () =>
        failure(redeem(app, await authorize(app, verifier), verifier, post(app), 'https://app.example.com/other')),
      'invalid_grant',
    ],
    [
      '4.8',
      'a verifier without a challenge, which an attacker may have removed',
      async () => failure(redeem(app, await authorize(app, verifier, none), verifier)),
      'invalid_grant',
    ],
  ]
  test.each(points)('%s: %s is refused', async (_section, _what, attempt, error) => {
    expect(await attempt()).toMatchObject(failsWith(error))
  })

  /** Returns a response to `app` that the library accepts for another client. */
  async function mixedUp(): Promise<URLSearchParams> {
    const other = await registerClient(service, browser)
    const state = oauth.generateRandomState()
    const address = await browser.allow(await authorizeUrl(app, verifier, { state }))
    return oauth.validateAuthResponse(other.server, other.client, address, state)
  }

  test('4.4 and 4.7: the client refuses a response of another issuer and a wrong state', async () => {
    const address = await browser.allow(await authorizeUrl(app, verifier, { state: 'mine' }))
    expect(() => oauth.validateAuthResponse(app.server, app.client, address, 'other')).toThrow('state')
    const elsewhere = { ...app.server, issuer: 'https://elsewhere.example' }
    expect(() => oauth.validateAuthResponse(elsewhere, app.client, address, 'mine')).toThrow('iss')
  })

  test('4.14: a second use of a refresh token ends the grant', async () => {
    const long = await registerClient(service, browser, { uses_refresh_tokens: true })
    const first = await redeem(long, await authorize(long, verifier), verifier)
    const refresh = async () => {
      const answer = await oauth.refreshTokenGrantRequest(
        long.server,
        long.client,
        post(long),
        first.refresh_token ?? '',
        LOCAL,
      )
      return oauth.processRefreshTokenResponse(long.server, long.client, answer)
    }
    const { access_token } = await refresh()
    expect(await failure(refresh())).toMatchObject(failsWith('invalid_grant'))
    while ((await statusWith(access_token)) !== 401);
  })
})

test('a token that is revoked in one process is invalid in every process on the database', async () => {
  const second = await startProcess({ ...SETTINGS, DATABASE_URL: service.databaseUrl })
  const verifier = oauth.generateRandomCodeVerifier()
  const { access_token } = await redeem(app, await authorize(app, verifier), verifier)
  expect([await statusWith(access_token), await statusWith(access_token, second.url)]).toEqual([200, 200])
  await oauth.revocationRequest(app.server, app.client, post(app), access_token, LOCAL)
  while ((await statusWith(access_token, second.url)) !== 401);
  expect(await second.stop()).toBe(0)
})
