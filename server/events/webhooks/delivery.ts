/** The types that matching, queueing, sending and recording of deliveries share. */

import type { SecretRow } from '#db/connect'
import type { Secrets } from './send/send-request'

/** A delivery that has attempts left. */
export interface PendingDelivery {
  readonly id: string
  /** The order of first attempts. */
  readonly position: number
  readonly createdAt: string
  readonly idempotencyKey: string
  readonly body: string
  /** Those that the body was made or checked for: `WebhookAccess.rights`. */
  readonly rights: string
  /** The number of attempts so far. */
  readonly attempts: number
  /** The span that published the event. Null without a trace. */
  readonly traceparent: string | null
}

/** What an attempt needs of a webhook. A webhook can change while its queue is leased. */
export interface WebhookTarget {
  readonly workspaceId: string
  readonly webhookId: string
  readonly targetUrl: string
  /** Read together with the target: `WebhookAccess.rights`. */
  readonly rights: string
  /** As the database has them: encrypted. */
  readonly storedSecrets: Secrets
  /** The number of failed attempts since the last successful one. */
  readonly failures: number
}

/** The row to which a secret of a webhook belongs. Both secrets are of the same row, so that a rotation moves one as it is. */
export const webhookRow = (workspaceId: string, id: string): SecretRow => ({
  table: 'webhooks',
  key: [workspaceId, id],
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
