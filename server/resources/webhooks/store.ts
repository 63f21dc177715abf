/** The rows behind webhooks, and which of them a caller sees. See docs/reference/webhooks-and-events.md (Webhooks). */

import type { Transaction } from '../../../db/connect'
import type { ApiContext } from '../../context'
import { passesAll, type Subscription } from '../../webhooks/match/subscription'
import { timestampFromPostgres } from '../../timing/clock'
import type { WebhookOutput } from './schemas'

export interface WebhookRow {
  readonly id: string
  readonly client_id: string | null
  readonly target_url: string
  readonly subscriptions: readonly Subscription[]
  readonly status: WebhookOutput['status']
  /** Since when messages are given up. */
  readonly degraded_at: string | null
  readonly created_at: string
  /** What its owner is called, where that is an app or a key that is still there. */
  readonly app_name: string | null
  readonly key_name: string | null
}

/** An app sees its own; an API key also those of the workspace; a member of the workspace all of them. */
function visible({ db, model, actor, clientId }: ApiContext) {
  const client = clientId ?? null
  const isApp = model.actors.get(actor)?.type === 'app'
  return db.sql`workspace_id = ${model.workspace.id}
    and (${client}::uuid is null or client_id = ${client} or (client_id is null and not ${isApp}))`
}

const columns = ({
  db,
}: ApiContext) => db.sql`id, client_id, target_url, subscriptions, status, degraded_at, created_at,
  (select name from relata.apps where apps.id = webhooks.client_id) as app_name,
  (select name from relata.tokens where tokens.workspace_id = webhooks.workspace_id
    and tokens.client_id = webhooks.client_id limit 1) as key_name`

/** In the order of their creation. */
export async function listWebhookRows(context: ApiContext, limit: number, offset: number): Promise<WebhookRow[]> {
  const rows = await context.db.sql<JsonRow[]>`
    select ${columns(context)} from relata.webhooks
    where ${visible(context)} order by id limit ${limit} offset ${offset}`
  return rows.map(fromJson)
}

export async function findWebhookRow(context: ApiContext, id: string): Promise<WebhookRow | undefined> {
  const [row] = await context.db.sql<JsonRow[]>`
    select ${columns(context)} from relata.webhooks
    where ${visible(context)} and id = ${id}`
  return row && fromJson(row)
}

export interface NewWebhook extends WebhookRow {
  readonly secret: string
}

/** False when this owner has the same one already. */
export async function insertWebhookRow(
  tx: Transaction,
  { model, actor }: ApiContext,
  webhook: NewWebhook,
): Promise<boolean> {
  const { id, client_id, target_url, subscriptions, secret, created_at } = webhook
  const rows = await tx`
    insert into relata.webhooks
      (workspace_id, id, client_id, created_by, saved_by, target_url, subscriptions, fingerprint, secret, created_at)
    values
      (${model.workspace.id}, ${id}, ${client_id}, ${actor}, ${actor}, ${target_url},
       ${JSON.stringify(subscriptions)}::text::jsonb, ${fingerprintOf(webhook)}, ${secret}, ${created_at})
    on conflict do nothing returning 1`
  return rows.length > 0
}

/**
 * Changes target and subscriptions, makes it active again, and has it told what the caller may see from now on. False when
 * this owner has the same one already.
 */
export async function updateWebhookRow(
  tx: Transaction,
  { model, actor }: ApiContext,
  webhook: WebhookRow,
): Promise<boolean> {
  const fingerprint = fingerprintOf(webhook)
  const { id, client_id, target_url, subscriptions } = webhook
  const rows = await tx`
    update relata.webhooks set target_url = ${target_url}, subscriptions = ${JSON.stringify(subscriptions)}::text::jsonb,
      fingerprint = ${fingerprint}, saved_by = ${actor}, status = 'active', degraded_at = null
    where workspace_id = ${model.workspace.id} and id = ${id} and not exists (
      select 1 from relata.webhooks
      where workspace_id = ${model.workspace.id} and client_id is not distinct from ${client_id}::uuid
        and fingerprint = ${fingerprint} and id <> ${id})
    returning 1`
  return rows.length > 0
}

/** False when there is no such webhook any more. */
export async function deleteWebhookRow(tx: Transaction, { model }: ApiContext, id: string): Promise<boolean> {
  const rows = await tx`
    with gone as (
      delete from relata.webhooks where workspace_id = ${model.workspace.id} and id = ${id} returning workspace_id, id
    ), dropped as (
      update relata.deliveries d set status = 'dropped', due_at = null from gone
      where d.workspace_id = gone.workspace_id and d.webhook_id = gone.id and d.due_at is not null
    )
    select 1 from gone`
  return rows.length > 0
}

/** Gives it another secret; the old one stays valid until `until`. */
export async function rotateSecretRow(
  tx: Transaction,
  { model }: ApiContext,
  { id, secret, until }: { readonly id: string; readonly secret: string; readonly until: string },
): Promise<void> {
  await tx`
    update relata.webhooks set previous_secret = secret, previous_secret_until = ${until}, secret = ${secret}
    where workspace_id = ${model.workspace.id} and id = ${id}`
}

/** The same for two webhooks that would be told of the same things at the same place. */
const fingerprintOf = ({ target_url, subscriptions }: Pick<WebhookRow, 'target_url' | 'subscriptions'>): string =>
  new Bun.CryptoHasher('sha256')
    .update(
      JSON.stringify([
        target_url,
        subscriptions
          .map(({ event_type, filter, include = [] }) =>
            JSON.stringify([event_type, passesAll(filter) ? null : filter, ...include]),
          )
          .sort(),
      ]),
    )
    .digest('hex')

type JsonRow = Omit<WebhookRow, 'subscriptions'> & { readonly subscriptions: string }

const fromJson = (row: JsonRow): WebhookRow => ({
  ...row,
  subscriptions: JSON.parse(row.subscriptions),
  degraded_at: row.degraded_at === null ? null : timestampFromPostgres(row.degraded_at),
  created_at: timestampFromPostgres(row.created_at),
})
