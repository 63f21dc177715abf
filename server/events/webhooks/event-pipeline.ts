/** Runs the stages of change events after the outbox: publishing, matching, delivery, and expiry. */

import type { Database } from '#db/connect'
import { createEventHub, type EventHub } from '#events/feed/event-hub'
import { maintainPartitions, type ExpiringTable } from '#events/feed/partitions'
import type { OnPublish } from '#events/feed/publish'
import { runPublisher } from '#events/feed/publisher'
import { logError } from '#base/logging/log-error'
import { createDelayedCall } from '#base/timing/delayed-call'
import { runPeriodically } from '#base/timing/run-periodically'
import type { Clock } from '#base/timing/clock'
import type { InsertedDeliveries } from './delivery'
import { matchEvents } from './match/match-events'
import { listenForDueWebhooks, notifyWorkers } from './queue/notify-workers'
import { listenForChangedDeliveries } from './queue/notify-of-changes'
import { runDeliveryWorker, type DeliveryWorker } from './queue/worker'
import type { RecorderOptions } from './record/attempt-recorder'
import type { SendingOptions } from './send/attempt-sender'
import { createStreamHub, type StreamHub } from './stream-hub'

export interface EventPipelineOptions {
  readonly db: Database
  readonly now: Clock
  readonly sending: SendingOptions
  readonly recording?: RecorderOptions
  /** The process whose name the connections of `db` carry. Its leases do not end early without it. */
  readonly process?: string
  /** Runs in the transaction that publishes events, beside the matching of webhooks. */
  readonly onPublish?: OnPublish
  /** For how many days events, deliveries and attempts are stored. */
  readonly days: number
}

export interface EventPipeline {
  /** Notifies streams of new events. */
  readonly hub: EventHub
  /** Notifies streams of changed deliveries and of requests at test endpoints. */
  readonly streams: StreamHub
  /** A write appended to the outbox. */
  wake(): void
  /** A delivery became due, or a webhook changed. The transaction that did this may not be committed yet. */
  wakeDeliveries(): void
  /** The sending is held, or goes on: the queues send nothing before they have read their deliveries again. */
  rereadDeliveries(): void
  /** Finishes the running attempts. */
  stop(): Promise<void>
}

const MAINTAIN_EVERY_MS = 3_600_000
const WAKE_DELAY_MS = 50
const PARTITIONS_FAILED = 'Partitions could not be maintained yet.'

export async function runEventPipeline(options: EventPipelineOptions): Promise<EventPipeline> {
  const { db, now, days, process: name = crypto.randomUUID() } = options
  const expiring: ExpiringTable[] = ['events', 'deliveries', 'delivery_attempts'].map((table) => ({ table, days }))
  const maintain = () => maintainPartitions(db, now, expiring)
  await maintain().catch((error: unknown) => logError(PARTITIONS_FAILED, error))
  const maintenance = runPeriodically(MAINTAIN_EVERY_MS, maintain, PARTITIONS_FAILED)
  const hub = await createEventHub(db)
  const streams = await createStreamHub(db)
  const worker = runDeliveryWorker({ ...options, name })
  const stopListening = await listenForDueWebhooks(db, worker.notify)
  const changes = { ofWebhooks: worker.discard, ofWorkspace: worker.discardWorkspace }
  const stopListeningForChanges = await listenForChangedDeliveries(db, changes)
  const { onPublish, onPublished } = deliverPublished(worker, name, options.onPublish)
  const publisher = runPublisher(db, now, onPublish, onPublished)
  const delayedWake = createDelayedCall(worker.wake, WAKE_DELAY_MS)
  return {
    hub,
    streams,
    wake: publisher.wake,
    wakeDeliveries: delayedWake.request,
    rereadDeliveries() {
      worker.discard()
      worker.wake()
    },
    async stop() {
      await maintenance.stop()
      delayedWake.cancel()
      await publisher.stop()
      await worker.stop()
      await Promise.all([stopListening(), stopListeningForChanges(), hub.close(), streams.close()])
    },
  }
}

/**
 * Hands published deliveries to the worker of this process. The positions of all processes together have no gaps, so two
 * batches of this process are contiguous when the second begins at the position after the first.
 */
function deliverPublished(
  worker: DeliveryWorker,
  name: string,
  alsoOnPublish: OnPublish = async () => {},
): { onPublish: OnPublish; onPublished: () => void } {
  let lastPosition: bigint | undefined
  let batch: { inserted: readonly InsertedDeliveries[]; first: bigint; last: bigint } | undefined
  return {
    async onPublish(tx, events) {
      const [first, last] = [events[0], events.at(-1)]
      const inserted = await matchEvents(tx, events, worker.publishingWorker())
      await notifyWorkers(tx, inserted, name)
      await alsoOnPublish(tx, events)
      batch = first && last && { inserted, first: BigInt(first.position), last: BigInt(last.position) }
    },
    onPublished() {
      if (batch === undefined) return
      worker.append(batch.inserted, lastPosition !== undefined && batch.first === lastPosition + 1n)
      lastPosition = batch.last
      batch = undefined
    },
  }
}
