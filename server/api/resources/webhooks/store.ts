/** The rows of webhooks that a caller sees. See docs/reference/webhooks-and-events.md (Webhooks). */

import { webhookRow } from '#events/webhooks/delivery'
import type { Selectable } from 'kysely'
import type { Transaction } from '#db/connect'
import type { WebhooksTable } from '#db/schema'
import type { ApiContext } from '#context'
import { controlQueriesIn, jsonb, lockName, hasRow, equal } from '#engine/data-model/kysely-in-transaction'
import type { Subscription } from '#events/webhooks/match/webhook-access'
import { timestampFromMicros, timestampFromPostgres, timestampOrNull } from '#base/timing/clock'
import type { WebhookOutput } from './schemas'

export interface WebhookRow {
  readonly id: string
  readonly name: string | null
  readonly client_id: string | null
  /** The number of the actor who wrote the subscriptions. */
  readonly saved_by: number
  readonly target_url: string
  readonly subscriptions: readonly Subscription[]
  readonly status: WebhookOutput['status']
  /** The time since which deliveries fail after their last attempt. */
  readonly degraded_at: string | null
  readonly created_at: string
  /** The name of the app or API key that the webhook belongs to; null when it belongs to neither or they are deleted. */
  readonly app_name: string | null
  readonly key_name: string | null
}

const COLUMNS = [
  'id',
  'name',
  'client_id',
  'saved_by',
  'target_url',
  'subscriptions',
  'status',
  'degraded_at',
  'created_at',
] as const

/** An app sees its own webhooks; an API key also those of the workspace; a member of the workspace all of them. */
function selectVisible({ db, model, actor, clientId }: ApiContext) {
  const isApp = model.actors.get(actor)?.type === 'app'
  const ofWorkspace = db.control
    .selectFrom('relata.webhooks as w')
    .select(COLUMNS)
    .select((query) => [
      query.selectFrom('relata.apps as a').select('a.name').whereRef('a.id', '=', 'w.client_id').as('app_name'),
      query
        .selectFrom('relata.tokens as t')
        .select('t.name')
        .whereRef('t.workspace_id', '=', 'w.workspace_id')
        .whereRef('t.client_id', '=', 'w.client_id')
        .limit(1)
        .as('key_name'),
    ])
    .where('workspace_id', '=', model.workspace.id)
  if (clientId === undefined) return ofWorkspace
  if (isApp) return ofWorkspace.where('client_id', '=', clientId)
  return ofWorkspace.where((column) => column.or([column('client_id', '=', clientId), column('client_id', 'is', null)]))
}

/** In the order of their creation. */
export async function listWebhookRows(context: ApiContext): Promise<WebhookRow[]> {
  const rows = await selectVisible(context).orderBy('id').execute()
  return rows.map(parseWebhook)
}

export async function findWebhookRow(context: ApiContext, id: string): Promise<WebhookRow | undefined> {
  const row = await selectVisible(context).where('id', '=', id).executeTakeFirst()
  return row && parseWebhook(row)
}

export interface NewWebhook extends WebhookRow {
  readonly secret: string
}

/** Subscriptions with one target: those that a webhook has, and those of the other webhooks of the workspace. */
export interface SubscriptionsOfTarget {
  readonly own: readonly Subscription[]
  readonly others: readonly Subscription[]
}

/**
 * Returns the subscriptions of this webhook and of all others of the workspace with its target, whoever owns them. A lock until the end
 * of the transaction makes others wait here, so of two webhooks that are saved at once with equal subscriptions, the second finds the first.
 */
export async function lockSubscriptions(
  tx: Transaction,
  { model }: ApiContext,
  { id, target_url }: Pick<WebhookRow, 'id' | 'target_url'>,
): Promise<SubscriptionsOfTarget> {
  await lockName(tx, `subscriptions of ${model.workspace.id}`)
  const rows = await controlQueriesIn(tx)
    .selectFrom('relata.webhooks')
    .select(['id', 'subscriptions'])
    .where(equal({ workspace_id: model.workspace.id, target_url }))
    .execute()
  const subscriptionsOf = (found: typeof rows) =>
    found.flatMap(({ subscriptions }) => JSON.parse(subscriptions) as Subscription[]) // as `insertWebhookRow` wrote them
  const { own = [], others = [] } = Object.groupBy(rows, (row) => (row.id === id ? 'own' : 'others'))
  return { own: subscriptionsOf(own), others: subscriptionsOf(others) }
}

export async function insertWebhookRow(
  tx: Transaction,
  { db, model, actor }: ApiContext,
  webhook: NewWebhook,
): Promise<void> {
  const { id, name, client_id, target_url, subscriptions, secret, created_at } = webhook
  await controlQueriesIn(tx)
    .insertInto('relata.webhooks')
    .values({
      workspace_id: model.workspace.id,
      id,
      name,
      client_id,
      created_by: actor,
      saved_by: actor,
      target_url,
      subscriptions: jsonb(subscriptions),
      secret: await db.secrets.encrypt(tx, webhookRow(model.workspace.id, id), secret),
      created_at,
    })
    .execute()
}

/** Changes the webhook, and makes the caller its viewer. Returns false when the webhook does not exist. */
export async function updateWebhookRow(
  tx: Transaction,
  { model, actor }: ApiContext,
  webhook: WebhookRow,
): Promise<boolean> {
  const { id, name, target_url, subscriptions, status, degraded_at } = webhook
  const { numUpdatedRows } = await controlQueriesIn(tx)
    .updateTable('relata.webhooks')
    .set({ name, target_url, subscriptions: jsonb(subscriptions), saved_by: actor, status, degraded_at })
    .where(equal({ workspace_id: model.workspace.id, id }))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Drops the pending deliveries of a webhook. */
export async function dropDeliveries(tx: Transaction, { model, now }: ApiContext, id: string): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.deliveries')
    .set({ status: 'dropped', due_at: null, finished_at: timestampFromMicros(now()) })
    .where(equal({ workspace_id: model.workspace.id, webhook_id: id }))
    .where('due_at', 'is not', null)
    .execute()
}

/** Deletes a webhook and drops its pending deliveries. Returns false when the webhook does not exist. */
export function deleteWebhookRow(tx: Transaction, { model }: ApiContext, id: string): Promise<boolean> {
  return hasRow(
    controlQueriesIn(tx)
      .with('deleted', (query) =>
        query
          .deleteFrom('relata.webhooks')
          .where(equal({ workspace_id: model.workspace.id, id }))
          .returning(['workspace_id', 'id']),
      )
      .with('dropped', (query) =>
        query
          .updateTable('relata.deliveries as d')
          .from('deleted')
          .set({ status: 'dropped', due_at: null })
          .whereRef('d.workspace_id', '=', 'deleted.workspace_id')
          .whereRef('d.webhook_id', '=', 'deleted.id')
          .where('d.due_at', 'is not', null),
      )
      .selectFrom('deleted')
      .select('id'),
  )
}

/** Sets a new secret. The old secret stays valid until `until`. */
export async function rotateSecretRow(
  tx: Transaction,
  { db, model }: ApiContext,
  { id, secret, until }: { readonly id: string; readonly secret: string; readonly until: string },
): Promise<void> {
  const encrypted = await db.secrets.encrypt(tx, webhookRow(model.workspace.id, id), secret)
  await controlQueriesIn(tx)
    .updateTable('relata.webhooks')
    .set(({ ref }) => ({ previous_secret: ref('secret'), previous_secret_until: until, secret: encrypted }))
    .where(equal({ workspace_id: model.workspace.id, id }))
    .execute()
}

type VisibleRow = Pick<Selectable<WebhooksTable>, (typeof COLUMNS)[number]> & Pick<WebhookRow, 'app_name' | 'key_name'>

const parseWebhook = (row: VisibleRow): WebhookRow => ({
  ...row,
  status: row.status as WebhookRow['status'], // the table's constraint allows no other text
  subscriptions: JSON.parse(row.subscriptions),
  degraded_at: timestampOrNull(row.degraded_at),
  created_at: timestampFromPostgres(row.created_at),
})
