/** All that happens to events once they are written: published, made into deliveries, sent, kept for their time. */

import type { Database } from '../../db/connect'
import { createEventHub, type EventHub } from '../events/event-hub'
import { maintainPartitions, type ExpiringTable } from '../events/partitions'
import type { OnPublish } from '../events/publish'
import { runPublisher } from '../events/publisher'
import { logError } from '../logging/log-error'
import { runPeriodically } from '../timing/run-periodically'
import type { Clock } from '../timing/clock'
import { createWatchHub, type WatchHub } from './watch-hub'
import { createDeadWorkerCheck } from './queue/dead-workers'
import { listenForDue, notifyWorkers } from './queue/notify-workers'
import type { Made } from './match/insert-deliveries'
import { matchEvents } from './match/match-events'
import type { Send } from './send/send-request'
import { runDeliveryWorker, type DeliveryWorker } from './queue/worker'

export interface EventsOptions {
  readonly db: Database
  /** What its connections are named by. Absent: nobody can tell whether it is there. */
  readonly process?: string
  readonly now: Clock
  readonly send: Send
  readonly brand: string
  readonly docsUrl: string
  /** For how many days events, deliveries and attempts are kept. */
  readonly days: number
  /** Requests to one target in a second; 0 for no limit. */
  readonly perSecond: number
  /** Called for each attempt that could not be kept as it was. */
  readonly onRefused?: () => void
}

export interface EventPipeline {
  readonly hub: EventHub
  readonly watched: WatchHub
  /** Something was written that may have events. */
  wake(): void
  /** A delivery was made due otherwise; what did it may not be committed yet. */
  look(): void
  /** Finishes what is being sent. */
  stop(): Promise<void>
}

const KEEP_EVERY_MS = 3_600_000
const LOOK_AFTER_MS = 50
const NOT_KEPT = 'Partitions could not be kept yet.'

export async function runEventPipeline(options: EventsOptions): Promise<EventPipeline> {
  const { db, now, days } = options
  const expiring: ExpiringTable[] = ['events', 'deliveries', 'delivery_attempts'].map((table) => ({ table, days }))
  const keep = () => maintainPartitions(db, now, expiring)
  await keep().catch((error: unknown) => logError(NOT_KEPT, error))
  const keeping = runPeriodically(KEEP_EVERY_MS, keep, NOT_KEPT)
  const hub = await createEventHub(db)
  const watched = await createWatchHub(db)
  const { process: name = crypto.randomUUID() } = options
  const holders = options.process === undefined ? {} : { holders: createDeadWorkerCheck(db, name) }
  const worker = runDeliveryWorker({ ...options, ...holders, name })
  const stopListening = await listenForDue(db, worker.tell)
  const { onPublish, onPublished } = handOver(worker, name)
  const publisher = runPublisher(db, now, onPublish, onPublished)
  const look = soon(worker.wake, LOOK_AFTER_MS)
  return {
    hub,
    watched,
    wake: publisher.signal,
    look: look.ask,
    async stop() {
      await keeping.stop()
      look.stop()
      await publisher.stop()
      await worker.stop()
      await Promise.all([stopListening(), hub.close(), watched.close()])
    },
  }
}

/**
 * From the publisher to the lanes. Positions rise by one with each event, whoever publishes: a batch that begins right
 * after the one before had nobody between them.
 */
function handOver(worker: DeliveryWorker, name: string): { onPublish: OnPublish; onPublished: () => void } {
  let last: bigint | undefined
  let batch: { made: readonly Made[]; first: bigint; last: bigint } | undefined
  return {
    async onPublish(tx, events) {
      const [first, end] = [events[0], events.at(-1)]
      const made = await matchEvents(tx, events, worker.taker())
      await notifyWorkers(tx, made, name)
      batch = first && end && { made, first: BigInt(first.position), last: BigInt(end.position) }
    },
    onPublished() {
      if (batch === undefined) return
      worker.take(batch.made, last !== undefined && batch.first === last + 1n)
      last = batch.last
      batch = undefined
    },
  }
}

/** Asked any number of times, `work` is done once after `ms`. */
function soon(work: () => void, ms: number): { ask(): void; stop(): void } {
  let timer: Timer | undefined
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
  }
  return {
    ask() {
      timer ??= setTimeout(() => {
        timer = undefined
        work()
      }, ms)
    },
    stop,
  }
}
