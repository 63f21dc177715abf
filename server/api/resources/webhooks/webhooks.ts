/** Reads, creates, updates and deletes webhooks. See docs/reference/webhooks-and-events.md (Webhooks). */

import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { listAccess } from '#access/list-access/list-access'
import type { ApiContext } from '#context'
import { listTypes } from '#engine/data-model/find'
import { emptyPayload, readId } from '#base/errors/http'
import { webhookNotFound, webhookOfOtherOwner } from '#base/errors/webhooks'
import { findHiddenTexts } from '#engine/storage/hidden-texts'
import type { CreatedWebhook, WebhookChange, WebhookInput, WebhookOutput } from './schemas'
import {
  deleteWebhookRow,
  dropDeliveries,
  findWebhookRow,
  insertWebhookRow,
  listWebhookRows,
  lockSubscriptions,
  rotateSecretRow,
  updateWebhookRow,
  type WebhookRow,
} from './store'
import type { Transaction } from '#db/connect'
import { changeModel } from '#engine/data-model/change-model'
import { includesValues, type Subscription } from '#events/webhooks/match/webhook-access'
import { notifyOfChangedDeliveries } from '#events/webhooks/queue/notify-of-changes'
import { newId } from '#base/ids'
import { timestampFromMicros } from '#base/timing/clock'
import { checkSubscriptions, refuseEqual, refuseTarget } from './rules'
import { audit } from '#access/audit-log/audit'

export async function listWebhooks(
  context: ApiContext,
  { limit = 10, offset = 0 }: { limit?: number; offset?: number },
): Promise<WebhookOutput[]> {
  const rows = await visibleWebhooks(context, await listWebhookRows(context))
  return rows.slice(offset, offset + limit).map((row) => renderWebhook(context, row))
}

/** A caller does not see webhooks whose filters name something hidden, unless the caller wrote the filters or it is deleted. */
async function visibleWebhooks(context: ApiContext, rows: readonly WebhookRow[]): Promise<readonly WebhookRow[]> {
  const textOf = ({ subscriptions }: WebhookRow) => JSON.stringify(subscriptions)
  const unseenLists = listTypes(context.model).filter((list) => listAccess(context, list) === undefined)
  const isOwn = ({ saved_by }: WebhookRow) => saved_by === context.actor
  const others = rows.filter((row) => !isOwn(row))
  const hidden = await findHiddenTexts(context, others.map(textOf), { unseenLists, mayNameDeleted: true })
  return rows.filter((row) => isOwn(row) || !hidden.has(textOf(row)))
}

/** Throws 404, and 400 when the id is not a UUID. */
export async function getWebhookRow(context: ApiContext, webhookId: string): Promise<WebhookRow> {
  const row = await findWebhookRow(context, readId('Webhook', webhookId))
  const [webhook] = row ? await visibleWebhooks(context, [row]) : []
  if (webhook === undefined) throw webhookNotFound(webhookId)
  return webhook
}

/** The same for a change. Throws 403 when the webhook belongs to another owner: an app, an API key or the workspace. */
async function getOwnWebhookRow(context: ApiContext, webhookId: string): Promise<WebhookRow> {
  const webhook = await getWebhookRow(context, webhookId)
  if (webhook.client_id !== (context.clientId ?? null)) throw webhookOfOtherOwner()
  return webhook
}

/** The same for sending: a member at the console may send the deliveries of every webhook, any other caller those of its own. */
export const getSendingWebhookRow = (context: ApiContext, webhookId: string): Promise<WebhookRow> =>
  context.clientId === undefined ? getWebhookRow(context, webhookId) : getOwnWebhookRow(context, webhookId)

/** Renders webhooks without their secrets. */
export const renderWebhook = ({ model, clientId }: ApiContext, webhook: WebhookRow): WebhookOutput => ({
  id: { workspace_id: model.workspace.id, webhook_id: webhook.id },
  ...(webhook.name !== null && { name: webhook.name }),
  target_url: webhook.target_url,
  subscriptions: webhook.subscriptions.map(({ event_type, filter, include }) => ({
    event_type,
    // The filter is stored as it was sent. The types differ only in that the arrays are read-only.
    filter: filter as WebhookOutput['subscriptions'][number]['filter'],
    ...(include && { include: [...include] }),
  })),
  status: webhook.status,
  created_at: webhook.created_at,
  // Only members see webhooks that belong to others.
  ...(clientId === undefined && { owner: ownerOf(webhook), degraded_at: webhook.degraded_at }),
})

function ownerOf({ client_id, app_name, key_name }: WebhookRow): WebhookOutput['owner'] {
  if (client_id === null) return { type: 'workspace', name: null }
  return app_name === null ? { type: 'api-token', name: key_name } : { type: 'app', name: app_name }
}

const OLD_SECRET_MICROS = 24 * 3_600_000_000

/** The webhook belongs to the calling app or API key. Throws 400, and 409 for a subscription that the workspace has. */
export async function createWebhook(context: ApiContext, input: WebhookInput): Promise<CreatedWebhook> {
  const subscriptions = checkSubscriptions(context, input.subscriptions)
  await refuseTarget(context, input.target_url)
  const webhook = {
    id: newId(),
    name: input.name ?? null,
    client_id: context.clientId ?? null,
    saved_by: context.actor,
    target_url: input.target_url,
    subscriptions,
    status: 'active',
    secret: newSecret(),
    degraded_at: null,
    created_at: timestampFromMicros(context.now()),
    app_name: null,
    key_name: null,
  } as const
  await save(context, subscriptions, async (tx) => {
    refuseEqual(subscriptions, await lockSubscriptions(tx, context, webhook))
    await insertWebhookRow(tx, context, webhook)
    await auditWebhook(tx, context, 'created', webhook)
  })
  return { ...renderWebhook(context, webhook), secret: webhook.secret }
}

/**
 * Replaces the subscriptions as a whole. Any change but that of the name alone makes the webhook active, unless it pauses it. Throws as
 * `createWebhook` does, and 404.
 */
export async function updateWebhook(
  context: ApiContext,
  webhookId: string,
  change: WebhookChange,
): Promise<WebhookOutput> {
  const webhook = await getOwnWebhookRow(context, webhookId)
  const { name, target_url, subscriptions, status } = change
  const isRenamed = name !== undefined
  const isRestarted = [target_url, subscriptions, status].some((member) => member !== undefined)
  if (!isRenamed && !isRestarted) throw emptyPayload()
  const changed = {
    ...webhook,
    name: isRenamed ? name : webhook.name,
    saved_by: context.actor,
    target_url: target_url ?? webhook.target_url,
    subscriptions: subscriptions === undefined ? webhook.subscriptions : checkSubscriptions(context, subscriptions),
    ...(isRestarted && { status: status ?? 'active', degraded_at: null }),
  }
  if (target_url !== undefined) await refuseTarget(context, target_url)
  await save(context, changed.subscriptions, async (tx) => {
    refuseEqual(changed.subscriptions, await lockSubscriptions(tx, context, changed))
    if (!(await updateWebhookRow(tx, context, changed))) throw webhookNotFound(webhookId)
    if (changed.status === 'inactive') await dropDeliveries(tx, context, webhook.id)
    await auditWebhook(tx, context, 'updated', changed, webhook)
    await notifyOfChangedDeliveries(tx, [webhook.id])
  })
  context.events?.wakeDeliveries()
  return renderWebhook(context, changed)
}

/**
 * The data model tells writes whether a subscription includes values. So a webhook with such a subscription is saved as a
 * change of the data model, and all later writes compute the values. See docs/decisions/webhooks.md.
 */
async function save(
  context: ApiContext,
  subscriptions: readonly Subscription[],
  write: (tx: Transaction) => Promise<void>,
): Promise<void> {
  if (!subscriptions.some(includesValues)) return inTransaction(context, write)
  await changeModel(context, ({ tx }) => write(tx))
}

const inTransaction = <T>(context: ApiContext, work: (tx: Transaction) => Promise<T>): Promise<T> =>
  context.db.sql.begin(work) as Promise<T> // the driver's type for the callback's result is wider

/** Drops the webhook's pending deliveries. Throws 404. */
export async function deleteWebhook(context: ApiContext, webhookId: string): Promise<void> {
  const webhook = await getOwnWebhookRow(context, webhookId)
  const isDeleted = await inTransaction(context, async (tx) => {
    const isFound = await deleteWebhookRow(tx, context, webhook.id)
    if (!isFound) return false
    await auditWebhook(tx, context, 'deleted', webhook)
    await notifyOfChangedDeliveries(tx, [webhook.id])
    return true
  })
  if (!isDeleted) throw webhookNotFound(webhookId)
  context.events?.wakeDeliveries()
}

/** Returns a new secret, which no other answer shows. For a day, the old secret signs as well. Throws 404. */
export async function rotateSecret(context: ApiContext, webhookId: string): Promise<CreatedWebhook> {
  const webhook = await getOwnWebhookRow(context, webhookId)
  const secret = newSecret()
  await inTransaction(context, async (tx) => {
    await rotateSecretRow(tx, context, {
      id: webhook.id,
      secret,
      until: timestampFromMicros(context.now() + OLD_SECRET_MICROS),
    })
    await auditWebhook(tx, context, 'secret-rotated', webhook)
    await notifyOfChangedDeliveries(tx, [webhook.id])
  })
  context.events?.wakeDeliveries()
  return { ...renderWebhook(context, webhook), secret }
}

/** 256 random bits in 64 characters. */
const newSecret = (): string => crypto.getRandomValues(new Uint8Array(32)).toHex()

/** Writes changes of webhooks to the audit log, with their targets and event types. */
type Audited = Pick<WebhookRow, 'id' | 'target_url' | 'subscriptions'>

/** `before` is the webhook before an update. */
async function auditWebhook(
  tx: Transaction,
  context: ApiContext,
  change: 'created' | 'updated' | 'deleted' | 'secret-rotated',
  webhook: Audited,
  before?: Audited,
): Promise<void> {
  const workspaceId = context.model.workspace.id
  const actor = await controlQueriesIn(tx)
    .selectFrom('relata.actors')
    .select(['type', 'id'])
    .where(equal({ workspace_id: workspaceId, number: context.actor }))
    .executeTakeFirst()
  await audit(tx, {
    workspaceId,
    actor: actor ?? null,
    action: `webhook.${change}`,
    subject: { type: 'webhook', id: webhook.id, name: originOf(webhook) },
    details: { ...detailsOf(webhook), ...(before && { before: detailsOf(before) }) },
    now: context.now(),
  })
}

const detailsOf = (webhook: Audited) => ({
  target: originOf(webhook),
  event_types: [...new Set(webhook.subscriptions.map(({ event_type }) => event_type))],
})

/** Leaves out the path and query, which can contain a secret of the receiver. */
const originOf = ({ target_url }: Audited): string => URL.parse(target_url)?.origin ?? ''
