/** All that happens to events once they are written: published, made into deliveries, sent, kept for their time. */

import type { Database } from '../../db/connect'
import { createEventHub, type EventHub } from '../events/hub'
import { keepPartitions, type Expiring } from '../events/partitions'
import { runPublisher } from '../events/publisher'
import type { Clock } from '../time'
import { createWatchHub, type WatchHub } from './watch-hub'
import { matchEvents } from './match'
import type { Send } from './send'
import { runDelivery } from './worker'

export interface EventsOptions {
  readonly db: Database
  readonly now: Clock
  readonly send: Send
  readonly brand: string
  readonly docsUrl: string
  /** For how many days events, deliveries and attempts are kept. */
  readonly days: number
  /** Requests to one target in a second; 0 for no limit. */
  readonly perSecond: number
}

export interface RunningEvents {
  readonly hub: EventHub
  readonly watched: WatchHub
  /** Something was written that may have events, or made a delivery due. */
  wake(): void
  /** Finishes what is being sent. */
  stop(): Promise<void>
}

const KEEP_EVERY_MS = 3_600_000

export async function runEvents(options: EventsOptions): Promise<RunningEvents> {
  const { db, now, days } = options
  const expiring: Expiring[] = ['events', 'deliveries', 'delivery_attempts'].map((table) => ({ table, days }))
  const keep = () => keepPartitions(db, now, expiring).catch(tell)
  await keep()
  const timer = setInterval(keep, KEEP_EVERY_MS)
  const hub = await createEventHub(db)
  const watched = await createWatchHub(db)
  const worker = runDelivery(options)
  const publisher = runPublisher(db, now, matchEvents, worker.wake)
  return {
    hub,
    watched,
    wake() {
      publisher.wake()
      worker.wake()
    },
    async stop() {
      clearInterval(timer)
      await publisher.stop()
      await worker.stop()
      await Promise.all([hub.close(), watched.close()])
    },
  }
}

function tell(error: unknown): void {
  console.error(JSON.stringify({ level: 'error', message: 'Partitions could not be kept yet.', error: String(error) }))
}
