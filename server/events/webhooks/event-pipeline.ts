/** Runs the stages of change events after the outbox: publishing, matching, delivery, and expiry. */

import { notify } from '#engine/data-model/kysely-in-transaction'
import type { Database, Transaction } from '#db/connect'
import { type ExpiringTable, maintainPartitions } from '#events/feed/partitions'
import type { OnPublish } from '#events/feed/publish'
import { type PublishedBatch, runPublisher } from '#events/feed/publisher'
import { logError } from '#base/logging/log-error'
import { createDelayedCall } from '#base/timing/wait'
import { runPeriodically } from '#base/timing/run-periodically'
import type { Tracer } from '#base/monitoring/tracer'
import type { Clock } from '#base/timing/clock'
import { createStatisticsOfWorkers, type StatisticsOfWorkers } from '#base/timing/worker-statistics'
import type { DueWebhook, InsertedDeliveries } from './delivery'
import { matchEvents } from './match/match-events'
import { listenForChangedDeliveries } from './queue/notify-of-changes'
import { type DeliveryWorker, runDeliveryWorker } from './queue/worker'
import type { RecorderOptions } from './record/attempt-recorder'
import type { SendingOptions } from './send/attempt-sender'
import { createEventHub, createStreamHub, type EventHub, type StreamHub } from './stream-hub'

export interface EventPipelineOptions {
  readonly db: Database
  readonly now: Clock
  readonly sending: SendingOptions
  readonly recording?: RecorderOptions
  /** The process whose name the connections of `db` carry. Its leases do not end early without it. */
  readonly process?: string
  /** For how many days events, deliveries and attempts are stored. */
  readonly days: number
  /** Count the batches of the publisher, and the attempts at deliveries. */
  readonly statistics?: StatisticsOfWorkers
  readonly tracer?: Tracer | undefined
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
  const {
    db,
    now,
    days,
    process: name = crypto.randomUUID(),
    statistics = createStatisticsOfWorkers(),
    tracer,
  } = options
  const sending = { ...options.sending, statistics: statistics.of('webhooks'), tracer }
  const expiring: ExpiringTable[] = ['events', 'deliveries', 'delivery_attempts'].map((table) => ({ table, days }))
  const maintain = () => maintainPartitions(db, now, expiring)
  await maintain().catch((error: unknown) => logError(PARTITIONS_FAILED, error))
  const maintenance = runPeriodically(MAINTAIN_EVERY_MS, maintain, PARTITIONS_FAILED)
  const hub = await createEventHub(db)
  const streams = await createStreamHub(db)
  const worker = runDeliveryWorker({ ...options, sending, name })
  const stopListening = await listenForDueWebhooks(db, worker.notify)
  const changes = { ofWebhooks: worker.discard, ofWorkspace: worker.discardWorkspace }
  const stopListeningForChanges = await listenForChangedDeliveries(db, changes)
  const { onPublish, onPublished } = deliverPublished(worker, name)
  const publisher = runPublisher(db, now, onPublish, { onPublished, statistics: statistics.of('publisher'), tracer })
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

/** Hands published deliveries to the worker of this process. */
function deliverPublished(worker: DeliveryWorker, name: string) {
  let inserted: readonly InsertedDeliveries[] = []
  const onPublish: OnPublish = async (tx, events) => {
    inserted = await matchEvents(tx, events, worker.publishingWorker())
    await notifyWorkers(tx, inserted, name)
  }
  /** A batch without writes has not been matched. */
  const onPublished = ({ writes, gaps }: PublishedBatch) => worker.append(writes > 0 ? inserted : [], gaps)
  return { onPublish, onPublished }
}

/** Notifies other processes of new deliveries for webhooks whose leases they hold. */
const CHANNEL = 'relata_due'
/** PostgreSQL limits a payload to 8,000 bytes; one webhook takes about 101. */
const MAX_PER_NOTIFICATION = 75

export async function notifyWorkers(tx: Transaction, due: readonly DueWebhook[], self: string): Promise<void> {
  const ofOthers = due.flatMap(({ webhookId, leasedBy }) =>
    leasedBy === null || leasedBy === self ? [] : [{ webhookId, leasedBy }],
  )
  for (let start = 0; start < ofOthers.length; start += MAX_PER_NOTIFICATION)
    await notify(tx, CHANNEL, JSON.stringify(ofOthers.slice(start, start + MAX_PER_NOTIFICATION)))
}

/** Calls `listener` for the notifications of all processes. The returned function stops that. */
export async function listenForDueWebhooks(
  db: Database,
  listener: (due: readonly DueWebhook[]) => void,
): Promise<() => Promise<void>> {
  const listening = await db.sql.listen(CHANNEL, (payload) => listener(JSON.parse(payload) as DueWebhook[])) // as `notifyWorkers` writes it
  return () => listening.unlisten()
}
