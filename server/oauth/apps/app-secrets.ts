/**
 * Secrets of apps: shown once, kept as hashes, two at a time so that one can follow the other.
 * See docs/reference/access-and-oauth.md (Apps, Secrets and the audit log).
 */

import type { Database, Sql, Transaction } from '../../../db/connect'
import { hashSecret, newToken } from '../../access/secrets'
import { isUuid } from '../../attribute-types/formats/uuids'
import { invalidRequest } from '../../errors/errors'
import { newId } from '../../ids'
import { timestampFromMicros, type Micros } from '../../timing/clock'
import { lockApp } from './apps'

export interface AppSecret {
  readonly id: string
  readonly app_id: string
  readonly hint: string
  readonly created_at: string
  readonly last_used_at: string | null
}

export const MAX_SECRETS = 2
const HINT_LENGTH = 4
const USE_RECORDED_EVERY_MINUTES = 1

/** Waits its turn at the app's row, so that there are never more than there may be. */
export async function insertSecret(
  tx: Transaction,
  appId: string,
  now: Micros,
): Promise<{ id: string; secret: string }> {
  await lockApp(tx, appId)
  const live = await tx`select 1 from relata.app_secrets where app_id = ${appId}`
  if (live.length >= MAX_SECRETS) {
    throw invalidRequest(`An app has at most ${MAX_SECRETS} secrets; delete one that is no longer used.`)
  }
  const [id, secret] = [newId(), newToken()]
  await tx`
    insert into relata.app_secrets (app_id, id, secret_hash, hint, created_at)
    values (${appId}, ${id}, decode(${hashSecret(secret)}, 'hex'), ${secret.slice(-HINT_LENGTH)}, ${timestampFromMicros(now)})`
  return { id, secret }
}

export const listSecrets = (sql: Sql | Transaction, appIds: readonly string[]): Promise<AppSecret[]> =>
  sql<AppSecret[]>`
    select id, app_id, hint, created_at, last_used_at from relata.app_secrets
    where app_id = any(${[...appIds]}::uuid[]) order by created_at, id`

/** False when the app has no such secret. */
export async function deleteSecretRow(tx: Transaction, appId: string, id: string): Promise<boolean> {
  if (!isUuid(id)) return false
  const removed = await tx`delete from relata.app_secrets where app_id = ${appId} and id = ${id} returning id`
  return removed.length > 0
}

/** Notes that a secret is in use, for those who wonder whether it can go. */
export async function recordSecretUse({ sql }: Database, appId: string, id: string, now: Micros): Promise<void> {
  const at = timestampFromMicros(now)
  await sql`
    update relata.app_secrets set last_used_at = ${at}
    where app_id = ${appId} and id = ${id}
      and (last_used_at is null or last_used_at < ${at}::timestamptz - make_interval(mins => ${USE_RECORDED_EVERY_MINUTES}))`
}
