/**
 * Which app a request to the token endpoints comes from. Every refusal takes one look-up and one comparison and reads
 * alike, so that neither text nor time tells which client ids exist.
 * See docs/reference/access-and-oauth.md (Token endpoint, Secrets and the audit log).
 */

import { timingSafeEqual } from 'node:crypto'
import type { Database } from '../../../db/connect'
import { isUuid } from '../../attribute-types/formats/uuids'
import { hashSecret } from '../../access/secrets'
import type { Micros } from '../../timing/clock'
import { recordSecretUse } from '../apps/app-secrets'
import { findApp, type App } from '../apps/apps'
import type { ClientCredentials } from './client-credentials'

export type Authentication =
  | { readonly isClient: true; readonly app: App }
  /** `app` is the one whose id was named, if there is one. */
  | { readonly isClient: false; readonly app: App | undefined }

export async function authenticateClient(
  db: Database,
  { clientId, secret }: ClientCredentials,
  now: Micros,
): Promise<Authentication> {
  const id = isUuid(clientId) ? clientId.toLowerCase() : UNKNOWN_CLIENT_ID
  const [app, secrets] = await Promise.all([findApp(db.sql, id), findHashes(db, id)])
  const match = findSecret(secrets, secret ?? '')
  if (app === undefined || (app.is_public ? secret !== undefined : match === undefined)) return { isClient: false, app }
  if (match !== undefined) await recordSecretUse(db, app.id, match.id, now)
  return { isClient: true, app }
}

const UNKNOWN_CLIENT_ID = '00000000-0000-0000-0000-000000000000'

interface SecretHash {
  readonly id: string
  readonly hash: string
}

const findHashes = ({ sql }: Database, appId: string): Promise<SecretHash[]> =>
  sql<SecretHash[]>`select id, encode(secret_hash, 'hex') as hash from relata.app_secrets where app_id = ${appId}`

/** Compares with each, and with something where there is nothing. */
function findSecret(secrets: readonly SecretHash[], given: string): SecretHash | undefined {
  const hash = Buffer.from(hashSecret(given))
  const compared = secrets.length === 0 ? [{ id: '', hash: DUMMY_HASH }] : secrets
  const matching = compared.filter((secret) => timingSafeEqual(Buffer.from(secret.hash), hash))
  return matching[0]
}

const DUMMY_HASH = '0'.repeat(64)
