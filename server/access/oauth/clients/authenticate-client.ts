/**
 * Authenticates the app that sends a request to the token endpoints. Every refusal takes one look-up and one comparison and
 * has the same text, so that neither time nor text shows which client ids exist.
 * See docs/reference/access-and-oauth.md (Token endpoint, Secrets and the audit log).
 */

import { timingSafeEqual } from 'node:crypto'
import type { Database } from '#db/connect'
import { hashSecret } from '#access/secrets'
import { isUuid } from '#vocabulary/uuids'
import type { Micros } from '#base/timing/clock'
import { findSecretHashes, recordSecretUse, type SecretHash } from '#access/oauth/apps/app-secrets'
import { type App, findApp } from '#access/oauth/apps/apps'
import { invalidClient, oauthError } from '#base/errors/protocols'

type Authentication =
  | { readonly isClient: true; readonly app: App }
  /** `app` is the app with the given client id, if one exists. */
  | { readonly isClient: false; readonly app: App | undefined }

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
