/** Making, changing and deleting webhooks. See docs/reference/webhooks-and-events.md (Webhooks). */

import type { Transaction } from '../../../db/connect'
import type { RequestContext } from '../../call'
import { changeModel } from '../../data-model/change-model'
import type { Subscription } from '../../webhooks/match/subscription'
import { includesValues } from '../../webhooks/match/include-values'
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
export async function createWebhook(context: RequestContext, input: WebhookInput): Promise<CreatedWebhook> {
  const subscriptions = checkSubscriptions(context, input.subscriptions)
  await refuseTarget(context, input.target_url)
  const webhook = {
    id: newId(),
    client_id: context.clientId ?? null,
    target_url: input.target_url,
    subscriptions,
    status: 'active',
    secret: newSecret(),
    degraded_at: null,
    created_at: timestampFromMicros(context.now()),
    app_name: null,
    key_name: null,
  } as const
  const isNew = await save(context, subscriptions, async (tx) => {
    const isMade = await insertWebhookRow(tx, context, webhook)
    if (isMade) await auditWebhook(tx, context, 'created', webhook)
    return isMade
  })
  if (!isNew) throw webhookConflict()
  return { ...renderWebhook(context, webhook), secret: webhook.secret }
}

/** Subscriptions are replaced as a whole; any change makes the webhook active again. Throws as creating does, and 404. */
export async function updateWebhook(
  context: RequestContext,
  webhookId: string,
  change: WebhookChange,
): Promise<WebhookOutput> {
  const webhook = await getOwnWebhookRow(context, webhookId)
  const { target_url, subscriptions } = change
  if (target_url === undefined && subscriptions === undefined) throw emptyPayload()
  const changed = {
    ...webhook,
    target_url: target_url ?? webhook.target_url,
    subscriptions: subscriptions === undefined ? webhook.subscriptions : checkSubscriptions(context, subscriptions),
    status: 'active',
    degraded_at: null,
  } as const
  if (target_url !== undefined) await refuseTarget(context, target_url)
  const isSaved = await save(context, changed.subscriptions, async (tx) => {
    const isDone = await updateWebhookRow(tx, context, changed)
    if (isDone) await auditWebhook(tx, context, 'updated', changed, webhook)
    return isDone
  })
  if (!isSaved) throw webhookConflict()
  context.events?.wakeDeliveries()
  return renderWebhook(context, changed)
}

/**
 * Values are told by whoever writes them, who knows from the data model that somebody asks for them: so that changes with
 * the webhook, and no write that is later misses it. Decision 0067.
 */
async function save(
  context: RequestContext,
  subscriptions: readonly Subscription[],
  write: (tx: Transaction) => Promise<boolean>,
): Promise<boolean> {
  if (!subscriptions.some(includesValues)) return inTransaction(context, write)
  return (await changeModel(context, ({ tx }) => write(tx))).changed
}

const inTransaction = <T>(context: RequestContext, work: (tx: Transaction) => Promise<T>): Promise<T> =>
  context.db.sql.begin(work) as Promise<T> // the driver widens what it gives

/** What it has not been told yet, it never will be. Throws 404. */
export async function deleteWebhook(context: RequestContext, webhookId: string): Promise<void> {
  const webhook = await getOwnWebhookRow(context, webhookId)
  const isDeleted = await inTransaction(context, async (tx) => {
    const isGone = await deleteWebhookRow(tx, context, webhook.id)
    if (isGone) await auditWebhook(tx, context, 'deleted', webhook)
    return isGone
  })
  if (!isDeleted) throw webhookNotFound(webhookId)
  context.events?.wakeDeliveries()
}

/** A new secret, shown once; for a day the old one signs as well. Throws 404. */
export async function rotateSecret(context: RequestContext, webhookId: string): Promise<CreatedWebhook> {
  const webhook = await getOwnWebhookRow(context, webhookId)
  const secret = newSecret()
  await inTransaction(context, async (tx) => {
    await rotateSecretRow(tx, context, {
      id: webhook.id,
      secret,
      until: timestampFromMicros(context.now() + OVERLAP_MICROS),
    })
    await auditWebhook(tx, context, 'secret-rotated', webhook)
  })
  context.events?.wakeDeliveries()
  return { ...renderWebhook(context, webhook), secret }
}

/** 256 random bits in 64 characters. */
const newSecret = (): string => crypto.getRandomValues(new Uint8Array(32)).toHex()
