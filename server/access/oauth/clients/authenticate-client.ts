/**
 * Authenticates the app that sends a request to the token endpoints. Every refusal takes one look-up and one comparison and
 * has the same text, so that neither time nor text shows which client ids exist.
 * See docs/reference/access-and-oauth.md (Token endpoint, Secrets and the audit log).
 */

import { timingSafeEqual } from 'node:crypto'
import type { Database } from '#db/connect'
import { hashSecret } from '#access/secrets'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import type { Micros } from '#base/timing/clock'
import { findSecretHashes, recordSecretUse, type SecretHash } from '#access/oauth/apps/app-secrets'
import { findApp, type App } from '#access/oauth/apps/apps'
import type { ClientCredentials } from './client-credentials'

export type Authentication =
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
