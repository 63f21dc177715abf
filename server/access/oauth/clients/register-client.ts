/**
 * Registers clients at their own request: public apps that belong to no workspace. An admin must consent before one gets a
 * token. RFC 7591; see docs/reference/assistants.md (Registration).
 */

import { sql } from 'kysely'
import type { Database, Transaction } from '#db/connect'
import { claimAttempt, fixedWindow, networkOf } from '#access/throttle/throttle'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import { insertApp } from '#access/oauth/apps/apps'
import { ASSISTANT_SCOPES } from '#access/oauth/requested-scopes'
import { type Static, Type } from 'typebox'
import { oauthError } from '#base/errors/protocols'
import { compileCheck } from '#base/validation/compile-check'
import { problemOfRedirectUri } from '#access/oauth/apps/redirect-uri'

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
