/** Making, changing and deleting webhooks. Spec: webhooks 1 and 8. */

import type { Transaction } from '../../../db/connect'
import type { Call } from '../../call'
import { changeModel } from '../../data-model/change-model'
import type { Subscription } from '../../webhooks/match/subscription'
import { asksForValues } from '../../webhooks/match/include-values'
import { emptyPayload, webhookConflict, webhookNotFound } from '../../errors/errors'
import { newId } from '../../ids'
import { timestampFromMicros } from '../../timing/clock'
import { auditWebhook } from './audit'
import { getOwnWebhookRow } from './get'
import { renderWebhook } from './render'
import { checkSubscriptions, refuseTarget } from './rules'
import type { CreatedWebhook, WebhookChange, WebhookInput, WebhookOutput } from './schemas'
import { deleteWebhookRow, insertWebhookRow, rotateSecretRow, updateWebhookRow } from './store'

const OVERLAP_MICROS = 24 * 3_600_000_000

/** A webhook of the calling app or key. Throws 400, and 409 when it has the same one already. */
export async function createWebhook(call: Call, input: WebhookInput): Promise<CreatedWebhook> {
  const subscriptions = checkSubscriptions(call, input.subscriptions)
  await refuseTarget(call, input.target_url)
  const webhook = {
    id: newId(),
    client_id: call.clientId ?? null,
    target_url: input.target_url,
    subscriptions,
    status: 'active',
    secret: newSecret(),
    degraded_at: null,
    created_at: timestampFromMicros(call.now()),
    app_name: null,
    key_name: null,
  } as const
  const isNew = await save(call, subscriptions, async (tx) => {
    const isMade = await insertWebhookRow(tx, call, webhook)
    if (isMade) await auditWebhook(tx, call, 'created', webhook)
    return isMade
  })
  if (!isNew) throw webhookConflict()
  return { ...renderWebhook(call, webhook), secret: webhook.secret }
}

/** Subscriptions are replaced as a whole; any change makes the webhook active again. Throws as creating does, and 404. */
export async function updateWebhook(call: Call, webhookId: string, change: WebhookChange): Promise<WebhookOutput> {
  const webhook = await getOwnWebhookRow(call, webhookId)
  const { target_url, subscriptions } = change
  if (target_url === undefined && subscriptions === undefined) throw emptyPayload()
  const changed = {
    ...webhook,
    target_url: target_url ?? webhook.target_url,
    subscriptions: subscriptions === undefined ? webhook.subscriptions : checkSubscriptions(call, subscriptions),
    status: 'active',
    degraded_at: null,
  } as const
  if (target_url !== undefined) await refuseTarget(call, target_url)
  const isSaved = await save(call, changed.subscriptions, async (tx) => {
    const isDone = await updateWebhookRow(tx, call, changed)
    if (isDone) await auditWebhook(tx, call, 'updated', changed, webhook)
    return isDone
  })
  if (!isSaved) throw webhookConflict()
  call.events?.look()
  return renderWebhook(call, changed)
}

/**
 * Values are told by whoever writes them, who knows from the data model that somebody asks for them: so that changes with
 * the webhook, and no write that is later misses it. Decision 0067.
 */
async function save(
  call: Call,
  subscriptions: readonly Subscription[],
  write: (tx: Transaction) => Promise<boolean>,
): Promise<boolean> {
  if (!subscriptions.some(asksForValues)) return inTransaction(call, write)
  return (await changeModel(call, ({ tx }) => write(tx))).changed
}

const inTransaction = <T>(call: Call, work: (tx: Transaction) => Promise<T>): Promise<T> =>
  call.db.sql.begin(work) as Promise<T> // the driver widens what it gives

/** What it has not been told yet, it never will be. Throws 404. */
export async function deleteWebhook(call: Call, webhookId: string): Promise<void> {
  const webhook = await getOwnWebhookRow(call, webhookId)
  const isDeleted = await inTransaction(call, async (tx) => {
    const isGone = await deleteWebhookRow(tx, call, webhook.id)
    if (isGone) await auditWebhook(tx, call, 'deleted', webhook)
    return isGone
  })
  if (!isDeleted) throw webhookNotFound(webhookId)
  call.events?.look()
}

/** A new secret, shown once; for a day the old one signs as well. Throws 404. */
export async function rotateSecret(call: Call, webhookId: string): Promise<CreatedWebhook> {
  const webhook = await getOwnWebhookRow(call, webhookId)
  const secret = newSecret()
  await inTransaction(call, async (tx) => {
    await rotateSecretRow(tx, call, { id: webhook.id, secret, until: timestampFromMicros(call.now() + OVERLAP_MICROS) })
    await auditWebhook(tx, call, 'secret-rotated', webhook)
  })
  call.events?.look()
  return { ...renderWebhook(call, webhook), secret }
}

/** 256 random bits in 64 characters. */
const newSecret = (): string => crypto.getRandomValues(new Uint8Array(32)).toHex()
