/**
 * Secrets of apps. A secret is shown once; the database has its hash. An app has two at most, so that one can replace the
 * other. See docs/reference/access-and-oauth.md (Apps, Secrets and the audit log).
 */

import { sql } from 'kysely'
import type { Database, Sql, Transaction } from '#db/connect'
import { hashColumn, newToken } from '#access/secrets'
import { hintOf } from '#access/tokens/tokens'
import { isUuid } from '#vocabulary/uuids'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { invalidRequest } from '#base/errors/http'
import { newId } from '#base/ids'
import { timestampFromMicros, type Micros } from '#base/timing/clock'
import { lockApp } from './apps'

export interface AppSecret {
  readonly id: string
  readonly app_id: string
  readonly hint: string
  readonly created_at: string
  readonly last_used_at: string | null
}

/** A secret with its hash in hex, for authentication. */
export interface SecretHash {
  readonly id: string
  readonly hash: string
}

const MAX_SECRETS = 2
const USE_RECORDED_EVERY = 60_000_000

/** Locks the app, so that concurrent requests cannot exceed the limit. */
export async function insertSecret(
  tx: Transaction,
  appId: string,
  now: Micros,
): Promise<{ id: string; secret: string }> {
  await lockApp(tx, appId)
  const existing = await listSecrets(tx, [appId])
  if (existing.length >= MAX_SECRETS) {
    throw invalidRequest(`An app has at most ${MAX_SECRETS} secrets; delete one that is no longer used.`)
  }
  const [id, secret] = [newId(), newToken()]
  await controlQueriesIn(tx)
    .insertInto('relata.app_secrets')
    .values({
      app_id: appId,
      id,
      secret_hash: hashColumn(secret),
      hint: hintOf(secret),
      created_at: timestampFromMicros(now),
    })
    .execute()
  return { id, secret }
}

/** Returns the secrets of these apps in the order of their creation. */
export const listSecrets = (connection: Sql | Transaction, appIds: readonly string[]): Promise<AppSecret[]> =>
  controlQueriesIn(connection)
    .selectFrom('relata.app_secrets')
    .select(['id', 'app_id', 'hint', 'created_at', 'last_used_at'])
    .where(sql<boolean>`app_id = any(${[...appIds]}::uuid[])`)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

export const findSecretHashes = ({ control }: Database, appId: string): Promise<SecretHash[]> =>
  control
    .selectFrom('relata.app_secrets')
    .select(['id', sql<string>`encode(secret_hash, 'hex')`.as('hash')])
    .where('app_id', '=', appId)
    .execute()

/** Returns false when the app has no such secret. */
export async function deleteSecretRow(tx: Transaction, appId: string, id: string): Promise<boolean> {
  if (!isUuid(id)) return false
  const { numDeletedRows } = await controlQueriesIn(tx)
    .deleteFrom('relata.app_secrets')
    .where(equal({ app_id: appId, id }))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Stores when a secret was last used, so that people see which secrets they can delete. */
export async function recordSecretUse({ control }: Database, appId: string, id: string, now: Micros): Promise<void> {
  const before = timestampFromMicros(now - USE_RECORDED_EVERY)
  await control
    .updateTable('relata.app_secrets')
    .set({ last_used_at: timestampFromMicros(now) })
    .where(equal({ app_id: appId, id }))
    .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<', before)]))
    .execute()
}
