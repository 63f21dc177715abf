/**
 * Sends what is due, for as many webhooks at once as there is room for. Any number of processes may: each webhook is one
 * process's at a time. Decision 0061.
 */

import type { Database } from '../../db/connect'
import type { Clock } from '../time'
import { createBuckets } from './bucket'
import { runLane, type LaneParts } from './lane'
import { releaseLease, renewLeases, takeLeases, type Lease } from './lease'
import { createRecorder } from './record'
import type { Send } from './send'

export interface DeliveryOptions {
  readonly db: Database
  readonly now: Clock
  readonly send: Send
  readonly brand: string
  readonly docsUrl: string
  /** To one target; 0 for no limit. */
  readonly perSecond: number
  /** From 0 to 1; spreads retries. */
  readonly random?: () => number
  readonly pollMs?: number
}

export interface DeliveryWorker {
  /** Something may be due. */
  wake(): void
  /** Resolves when nothing is under way and nothing more was due. */
  settled(): Promise<void>
  /** Finishes what is being sent, keeps what came of it, gives the rest back. */
  stop(): Promise<void>
}

/** A lane has two requests under way at most, and the runtime 256 for the whole process. */
const MOST_LANES = 180
/** These places are for receivers that answered last time: those that hang leave them room. */
const KEPT_FOR_WELL = 60
const POLL_MS = 1_000
const RENEW_MS = 10_000

export function runDelivery(options: DeliveryOptions): DeliveryWorker {
  const { db, now, perSecond, random = Math.random, pollMs = POLL_MS } = options
  const name = crypto.randomUUID()
  const lanes = new Set<Promise<void>>()
  let isRunning = true
  let isAsked = false
  let looking: Promise<void> | undefined
  const parts: LaneParts = {
    ...options,
    buckets: createBuckets(perSecond),
    recorder: createRecorder(db, random),
    isRunning: () => isRunning,
  }

  const open = (lease: Lease) => {
    const lane: Promise<void> = runLane(parts, lease)
      .catch(tell)
      .then(() => releaseLease(db, name, lease).catch(tell))
      .then(() => {
        lanes.delete(lane)
        // It may have more, and others may have waited for its place.
        wake()
      })
    lanes.add(lane)
  }

  const look = async () => {
    while (isAsked && isRunning) {
      isAsked = false
      const onlyWell = lanes.size >= MOST_LANES - KEPT_FOR_WELL
      const most = (onlyWell ? MOST_LANES : MOST_LANES - KEPT_FOR_WELL) - lanes.size
      if (most <= 0) return
      for (const lease of await takeLeases(db, name, now(), { most, onlyWell })) open(lease)
    }
  }

  const wake = () => {
    isAsked = true
    if (!isRunning) return
    looking ??= look()
      .catch(tell)
      .finally(() => {
        looking = undefined
        if (isAsked && lanes.size < MOST_LANES) wake()
      })
  }

  const timers = [setInterval(wake, pollMs), setInterval(() => void renewLeases(db, name, now()).catch(tell), RENEW_MS)]
  wake()

  const settled = async () => {
    while (looking !== undefined || lanes.size > 0) await Promise.all([looking, ...lanes])
  }

  return {
    wake,
    settled,
    async stop() {
      isRunning = false
      for (const timer of timers) clearInterval(timer)
      await settled()
    },
  }
}

/** What was not done stays due. */
function tell(error: unknown): void {
  console.error(JSON.stringify({ level: 'error', message: 'Deliveries are held up.', error: String(error) }))
}
