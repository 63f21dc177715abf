/**
 * Checks deliveries that were read from the table against what the viewers of their webhooks may see now. What a webhook may
 * not get any more is dropped, or left out of the body. See docs/decisions/event-access.md.
 */

import type { Database, Sql } from '#db/connect'
import type { EventType } from '#vocabulary/event-types'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { type AccessSettings, presentBody, readAccessSettings } from '#events/webhooks/match/render-event'
import type { WebhookAccess } from '#events/webhooks/match/webhook-viewers'
import { notifyStreamsUnlogged } from '#events/webhooks/stream-hub'

export interface CheckedRow {
  readonly webhook_id: string
  readonly id: string
  readonly created_at: string
  readonly event_type: EventType
  readonly list_id: string | null
  readonly body: string
  /** The rights that a test event was made for; null for other events. */
  readonly rights: string | null
}

/**
 * Returns the bodies as the webhooks may get them, by the id of the delivery. A dropped delivery has none. The settings are read
 * after the viewers; if they changed in between, the webhook has other rights than the deliveries, which are then read again.
 */
export async function checkPending(
  { sql }: Database,
  webhooks: ReadonlyMap<string, WebhookAccess>,
  rows: readonly CheckedRow[],
  at: Micros,
): Promise<ReadonlyMap<string, string>> {
  if (rows.length === 0) return new Map()
  const workspaceIds = [...new Set([...webhooks.values()].map(({ workspaceId }) => workspaceId))]
  const listIds = [...new Set(rows.flatMap(({ list_id }) => list_id ?? []))]
  const settings = await readAccessSettings(sql, workspaceIds, listIds)
  const checked = rows.flatMap((row) => {
    const webhook = webhooks.get(row.webhook_id)
    return webhook === undefined ? [] : { row, body: bodyNow(webhook, row, settings) }
  })
  const dropped = checked.flatMap(({ row, body }) => (body === undefined ? row : []))
  if (dropped.length > 0) await drop(sql, dropped, at)
  const changed = checked.flatMap(({ row, body }) => (body === undefined || body === row.body ? [] : { row, body }))
  if (changed.length > 0) await replaceBodies(sql, changed)
  return new Map(checked.flatMap(({ row, body }) => (body === undefined ? [] : [[row.id, body]])))
}

/** A test event of a type that the viewers may not see names nothing that exists, as long as they have the same rights. */
function bodyNow(webhook: WebhookAccess, row: CheckedRow, settings: AccessSettings): string | undefined {
  const { event_type, list_id: listId, body, rights } = row
  if (rights !== null && rights === webhook.rights) return body
  return presentBody(webhook, { event_type, listId }, body, settings)
}

async function drop(sql: Sql, rows: readonly CheckedRow[], at: Micros): Promise<void> {
  const keys = rows.map(({ webhook_id, id, created_at }) => ({ webhook_id, id, created_at }))
  await sql`
    update relata.deliveries d set status = 'dropped', due_at = null, finished_at = ${timestampFromMicros(at)}
    from json_to_recordset(${JSON.stringify(keys)}::text::json) as r(webhook_id uuid, id uuid, created_at timestamptz)
    where d.webhook_id = r.webhook_id and d.id = r.id and d.created_at = r.created_at and d.status = 'waiting'`
  for (const [id, ofWebhook] of Map.groupBy(rows, ({ webhook_id }) => webhook_id))
    await notifyStreamsUnlogged(sql, new Map([[id, ofWebhook.slice(-MAX_PER_NOTIFICATION).map((row) => row.id)]]))
}

/** The number of ids that fit into a notification. */
const MAX_PER_NOTIFICATION = 80

interface ChangedBody {
  readonly row: CheckedRow
  readonly body: string
}

/**
 * Leaves a body alone whose values were removed since it was read. Responses to earlier attempts can repeat the earlier body, which
 * decided who sees them.
 */
async function replaceBodies(sql: Sql, changed: readonly ChangedBody[]): Promise<void> {
  const rows = changed.map(({ row: { webhook_id, id, created_at, body: was }, body }) => {
    return { webhook_id, id, created_at, was, body }
  })
  await sql`
    update relata.deliveries d set body = r.body
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as r(webhook_id uuid, id uuid, created_at timestamptz, was text, body text)
    where d.webhook_id = r.webhook_id and d.id = r.id and d.created_at = r.created_at and d.body = r.was`
  await sql`
    update relata.delivery_attempts set response_body = ''
    where delivery_id = any(${rows.map(({ id }) => id)}::uuid[]) and response_body <> ''`
}
