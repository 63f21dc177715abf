/** The types that matching, queueing, sending and recording of deliveries share. */

import type { Secrets } from './send/sign'

/** A delivery that has attempts left. */
export interface PendingDelivery {
  readonly id: string
  /** The order of first attempts. */
  readonly position: number
  readonly createdAt: string
  readonly idempotencyKey: string
  readonly body: string
  /** The number of attempts so far. */
  readonly attempts: number
}

/** What an attempt needs of a webhook. A webhook can change while its queue is leased. */
export interface WebhookTarget {
  readonly workspaceId: string
  readonly webhookId: string
  readonly targetUrl: string
  readonly secrets: Secrets
  /** The number of failed attempts since the last successful one. */
  readonly failures: number
}

/** The columns behind a `WebhookTarget`. `previous_secret` is null when it has expired. */
export interface WebhookTargetRow {
  readonly workspace_id: string
  readonly webhook_id: string
  readonly target_url: string
  readonly secret: string
  readonly previous_secret: string | null
  readonly failures: number
}

export const webhookTargetOf = (row: WebhookTargetRow): WebhookTarget => ({
  workspaceId: row.workspace_id,
  webhookId: row.webhook_id,
  targetUrl: row.target_url,
  secrets: { current: row.secret, ...(row.previous_secret !== null && { previous: row.previous_secret }) },
  failures: row.failures,
})

/** A webhook with a new delivery, and the process that holds its lease. */
export interface DueWebhook {
  readonly webhookId: string
  readonly leasedBy: string | null
}

/** The deliveries that one published batch inserted for one webhook. */
export interface InsertedDeliveries extends DueWebhook {
  readonly webhook: WebhookTarget
  /** The oldest delivery comes first. */
  readonly deliveries: readonly PendingDelivery[]
  /** True when the insert also took the lease, which it does only for a webhook without other pending deliveries. */
  readonly isLeaseTaken: boolean
}
