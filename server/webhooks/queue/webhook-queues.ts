/** The lanes of one process, by their webhooks. Each ends by giving its lease back. */

import type { Database } from '../../../db/connect'
import { logError } from '../../logging/log-error'
import { openWebhookQueue, type WebhookQueue, type WebhookQueueOptions } from './webhook-queue'
import { releaseLease, type Lease } from './lease'
import type { Made } from '../match/insert-deliveries'

export interface WebhookQueues {
  readonly size: number
  ids(): string[]
  /** None for a webhook that has one. `made` is all that waits for it, where somebody knows. */
  open(lease: Lease, made?: Made): void
  find(webhookId: string): WebhookQueue | undefined
  all(): Iterable<WebhookQueue>
  /** Those that are open, until they have ended. */
  ended(): Promise<void>[]
}

/** What failed is not tried again at once. */
const PAUSE_MS = 500

/** `onEnd` is called when one has given its lease back: its webhook may have more, and others may wait for its place. */
export function createWebhookQueues(
  db: Database,
  name: string,
  parts: WebhookQueueOptions,
  onEnd: () => void,
): WebhookQueues {
  const queues = new Map<string, WebhookQueue>()
  return {
    get size() {
      return queues.size
    },
    ids: () => [...queues.keys()],
    open(lease, made) {
      if (queues.has(lease.webhookId)) return
      const queue = openWebhookQueue(parts, lease, made)
      const ended = queue.ended
        .catch(async (error: unknown) => {
          complain(error)
          if (parts.isRunning()) await Bun.sleep(PAUSE_MS)
        })
        .then(() => releaseLease(db, name, lease))
        .catch(complain)
        .then(() => {
          queues.delete(lease.webhookId)
          onEnd()
        })
      queues.set(lease.webhookId, { ...queue, ended })
    },
    find: (webhookId) => queues.get(webhookId),
    all: () => queues.values(),
    ended: () => [...queues.values()].map(({ ended }) => ended),
  }
}

/** What was not done stays due. */
export const complain = (error: unknown): void => logError('Deliveries are held up.', error)
