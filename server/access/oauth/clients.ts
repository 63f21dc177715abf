/**
 * Clients of OAuth: their authentication, and registration at their own request, as public apps that belong to no workspace. An
 * admin must consent before such a client gets a token. RFC 7591; see docs/reference/assistants.md (Registration);
 * docs/reference/access-and-oauth.md (Token endpoint, Secrets and the audit log).
 */
import { timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import {
  type App,
  findApp,
  findSecretHashes,
  insertApp,
  recordSecretUse,
  type SecretHash,
} from '#access/oauth/apps/apps'
import { problemOfRedirectUri } from '#access/oauth/apps/redirect-uri'
import { hashSecret } from '#access/secrets'
import { claimAttempt, fixedWindow, networkOf } from '#access/throttle/throttle'
import { invalidClient, oauthError } from '#base/errors/protocols'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import { compileCheck } from '#base/validation/compile-check'
import type { Database, Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { isUuid } from '#vocabulary/uuids'
import { ASSISTANT_SCOPES } from './requested-scopes'

const SECOND = 1_000_000
const HOUR = 3600
const UNUSED_SECONDS = 7 * 24 * HOUR

/** Registrations an hour: of one network, and of all. */
const PER_ADDRESS = fixedWindow(30, HOUR)
const OF_ALL = fixedWindow(1000, HOUR)

/** The response of RFC 7591, 3.2.1. */
interface RegisteredClient {
  readonly client_id: string
  readonly client_id_issued_at: number
  readonly client_name: string
  readonly redirect_uris: readonly string[]
  readonly grant_types: readonly string[]
  readonly response_types: readonly string[]
  readonly token_endpoint_auth_method: 'none'
  readonly scope: string
}

/** Throws 429 after too many registrations, and an OAuth error for invalid metadata. */
export async function registerClient(
  db: Database,
  body: unknown,
  { address, now }: { readonly address: string | null; readonly now: Micros },
): Promise<RegisteredClient> {
  const { name, websiteUrl, redirectUris } = parseMetadata(body)
  await claimAttempt(db, `registrations from ${address === null ? 'unknown' : networkOf(address)}`, PER_ADDRESS, now)
  await claimAttempt(db, 'registrations', OF_ALL, now)
  const app = await db.sql.begin(async (tx) => {
    await deleteUnused(tx, now)
    return insertApp(tx, null, detailsOf(name, websiteUrl, redirectUris), now)
  })
  return {
    client_id: app.id,
    client_id_issued_at: Math.floor(microsFromPostgres(app.created_at) / SECOND),
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: ASSISTANT_SCOPES.join(' '),
  }
}

const detailsOf = (name: string, websiteUrl: string | null, redirectUris: readonly string[]) => ({
  name,
  description: null,
  developer_name: null,
  website_url: websiteUrl,
  // The consent page loads no image of an unknown host.
  logo_url: null,
  is_public: true,
  is_published: true,
  redirect_uris: redirectUris,
  scopes: ASSISTANT_SCOPES,
  allows_plain_pkce: false,
  uses_refresh_tokens: true,
})

/** Deletes some clients that are a week old and have no valid grant, and skips those that another transaction has locked. */
async function deleteUnused(tx: Transaction, now: Micros): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.apps')
    .where('id', 'in', (unused) =>
      unused
        .selectFrom('relata.apps as a')
        .select('a.id')
        .where('a.workspace_id', 'is', null)
        .where('a.created_at', '<', timestampFromMicros(now - UNUSED_SECONDS * SECOND))
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('relata.grants as g')
                .select('g.id')
                .whereRef('g.app_id', '=', 'a.id')
                .where('g.revoked_at', 'is', null),
            ),
          ),
        )
        .limit(sql.lit(100))
        .forUpdate()
        .skipLocked(),
    )
    .execute()
}

/**
 * The metadata with which a client registers itself. RFC 7591, 2; see docs/reference/assistants.md (Registration).
 */
export const ClientMetadata = Type.Object({
  redirect_uris: Type.Array(Type.String(), { minItems: 1, maxItems: 10 }),
  client_name: Type.Optional(Type.String({ maxLength: 100 })),
  client_uri: Type.Optional(Type.String({ maxLength: 2000 })),
  grant_types: Type.Optional(Type.Array(Type.String(), { maxItems: 10 })),
  response_types: Type.Optional(Type.Array(Type.String(), { maxItems: 10 })),
  scope: Type.Optional(Type.String({ maxLength: 2000 })),
  token_endpoint_auth_method: Type.Optional(
    Type.String({ description: 'Every registered client is public: the response says `none`.' }),
  ),
})

interface RegisteredMetadata {
  readonly name: string
  readonly websiteUrl: string | null
  readonly redirectUris: readonly string[]
}

const check = compileCheck(ClientMetadata)

/** The addresses of editors, whose schemes are not those of a domain. */
const EDITOR_CALLBACK = /^(?:cursor|vscode|vscode-insiders|windsurf):\/\/[\w.-]{1,100}(?:\/[\w.-]{1,100}){0,10}$/

const UNNAMED = 'Unnamed assistant'

/** Throws `invalid_client_metadata` and `invalid_redirect_uri`. */
function parseMetadata(body: unknown): RegisteredMetadata {
  const [issue] = check(body)
  if (issue !== undefined) throw invalidMetadata(`${issue.path.join('.')}: ${issue.message}`)
  const metadata = body as Static<typeof ClientMetadata> // as checked
  const { redirect_uris, client_name = '', client_uri, grant_types, response_types } = metadata
  if (grant_types?.includes('authorization_code') === false)
    throw invalidMetadata('grant_types must contain authorization_code.')
  if (response_types?.includes('code') === false) throw invalidMetadata('response_types must contain code.')
  for (const uri of redirect_uris) {
    const problem = EDITOR_CALLBACK.test(uri) ? undefined : problemOfRedirectUri(uri, true)
    if (problem !== undefined) throw oauthError('invalid_redirect_uri', `A redirect URI ${problem}.`)
  }
  return { name: printable(client_name) || UNNAMED, websiteUrl: webAddress(client_uri), redirectUris: redirect_uris }
}

const invalidMetadata = (description: string) => oauthError('invalid_client_metadata', description)

/** The name without control and formatting characters, which could disguise it. */
const printable = (name: string): string => name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').trim()

const webAddress = (uri: string | undefined): string | null =>
  uri !== undefined && URL.parse(uri)?.protocol === 'https:' ? uri : null

type Authentication =
  | { readonly isClient: true; readonly app: App }
  /** `app` is the app with the given client id, if one exists. */
  | { readonly isClient: false; readonly app: App | undefined }

/**
 * Authenticates the app that sends a request to the token endpoints. Every refusal takes one look-up and one comparison and
 * has the same text, so that neither time nor text shows which client ids exist.
 */
export async function authenticateClient(
  db: Database,
  { clientId, secret }: ClientCredentials,
  now: Micros,
): Promise<Authentication> {
  const id = isUuid(clientId) ? clientId.toLowerCase() : UNKNOWN_CLIENT_ID
  const [app, secrets] = await Promise.all([findApp(db.sql, id), findSecretHashes(db, id)])
  const match = findSecret(secrets, secret ?? '')
  if (app === undefined || (app.is_public ? secret !== undefined : match === undefined)) return { isClient: false, app }
  if (match !== undefined) await recordSecretUse(db, app.id, match.id, now)
  return { isClient: true, app }
}

const UNKNOWN_CLIENT_ID = '00000000-0000-0000-0000-000000000000'

/** Compares the given secret with each secret of the app, or with a dummy hash when the app has none. */
function findSecret(secrets: readonly SecretHash[], given: string): SecretHash | undefined {
  const hash = Buffer.from(hashSecret(given))
  const compared = secrets.length === 0 ? [{ id: '', hash: DUMMY_HASH }] : secrets
  const matching = compared.filter((secret) => timingSafeEqual(Buffer.from(secret.hash), hash))
  return matching[0]
}

const DUMMY_HASH = '0'.repeat(64)

/**
 * Reads the credentials of a client from the Authorization header or from the body. A public client sends only its id.
 * See docs/reference/access-and-oauth.md (Token endpoint).
 */
interface ClientCredentials {
  readonly clientId: string
  /** Undefined for a public app, which has no secret. */
  readonly secret: string | undefined
  readonly usedHeader: boolean
}

type Parameters = ReadonlyMap<string, string>

/** Throws `invalid_request` for credentials in two places or in none. RFC 6749, 2.3. */
export function readClientCredentials(header: string | null, parameters: Parameters): ClientCredentials {
  const [clientId, secret] = [parameters.get('client_id'), parameters.get('client_secret')]
  if (header !== null && header.trim() !== '') {
    const fromHeader = readBasic(header)
    if (secret !== undefined || (clientId !== undefined && clientId !== fromHeader.clientId)) {
      throw oauthError('invalid_request', 'The client must authenticate in one way only: by header or by body.')
    }
    return fromHeader
  }
  if (clientId === undefined) throw oauthError('invalid_request', 'client_id is missing.')
  return { clientId, secret, usedHeader: false }
}

/** Both parts of the header are form-encoded. RFC 6749, 2.3.1. */
function readBasic(header: string): ClientCredentials {
  const [, encoded] = /^basic\s+([A-Za-z0-9+/]+={0,2})\s*$/i.exec(header.trim()) ?? []
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1) throw invalidClient(true)
  const [clientId, secret] = [formDecode(text.slice(0, colon)), formDecode(text.slice(colon + 1))]
  return { clientId, secret: secret === '' ? undefined : secret, usedHeader: true }
}

function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
