/** The webhook queues of one process, by webhook id. The process releases a queue's lease when the queue ends. */

import { logError } from '#base/logging/log-error'
import type { InsertedDeliveries } from '#events/webhooks/delivery'
import type { WebhookLease, LeaseStore } from './lease'
import { startWebhookQueue, type QueueContext, type WebhookQueue } from './webhook-queue'

export interface ProcessQueues {
  readonly size: number
  ids(): string[]
  /** Starts a queue, unless the webhook has one. `all` are all pending deliveries of the webhook, when they are known. */
  start(lease: WebhookLease, all?: InsertedDeliveries): void
  find(webhookId: string): WebhookQueue | undefined
  ofWorkspace(workspaceId: string): WebhookQueue[]
  all(): Iterable<WebhookQueue>
  /** One promise for each queue; it resolves when the lease is released. */
  released(): Promise<void>[]
}

interface OpenQueue {
  readonly queue: WebhookQueue
  readonly lease: WebhookLease
  readonly released: Promise<void>
}

/** A queue that failed keeps its slot for this long, so that it is not started again immediately. */
const PAUSE_AFTER_ERROR_MS = 500

/** Calls `onRelease` after each release: the webhook may have more deliveries, and a slot is free. */
export function createProcessQueues(context: QueueContext, leases: LeaseStore, onRelease: () => void): ProcessQueues {
  const queues = new Map<string, OpenQueue>()

  const releaseAfter = async ({ ended }: WebhookQueue, lease: WebhookLease): Promise<void> => {
    try {
      await ended
    } catch (error) {
      logDeliveryError(error)
      if (!context.process.isStopping) await Bun.sleep(PAUSE_AFTER_ERROR_MS)
    }
    await leases.release(lease).catch(logDeliveryError)
    queues.delete(lease.webhookId)
    onRelease()
  }

  return {
    get size() {
      return queues.size
    },
    ids: () => [...queues.keys()],
    start(lease, all) {
      if (queues.has(lease.webhookId)) return
      const queue = startWebhookQueue(context, lease, all)
      queues.set(lease.webhookId, { queue, lease, released: releaseAfter(queue, lease) })
    },
    find: (webhookId) => queues.get(webhookId)?.queue,
    ofWorkspace: (id) => [...queues.values()].flatMap(({ queue, lease }) => (lease.workspaceId === id ? queue : [])),
    all: () => queues.values().map(({ queue }) => queue),
    released: () => [...queues.values()].map(({ released }) => released),
  }
}

/** The deliveries stay due, so that a later turn sends them. */
export const logDeliveryError = (error: unknown): void => logError('Webhook deliveries are delayed.', error)
