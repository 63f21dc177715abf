/**
 * Sends what is due, for as many webhooks at once as there is room for. Any number of processes may: each webhook is one
 * process's at a time. Decisions 0061 and 0062.
 */

import type { Database } from '../../db/connect'
import type { Clock } from '../time'
import { createBuckets } from './bucket'
import type { Holders } from './holders'
import { openLane, type Lane, type LaneParts } from './lane'
import { releaseLease, renewLeases, takeLeases, type Lease } from './lease'
import type { Due } from './match'
import { createRecorder } from './recorder'
import type { Send } from './send'
import { createReader } from './waiting'

export interface DeliveryOptions {
  readonly db: Database
  readonly now: Clock
  readonly send: Send
  readonly brand: string
  readonly docsUrl: string
  /** To one target; 0 for no limit. */
  readonly perSecond: number
  /** By what name this process holds leases. */
  readonly name?: string
  /** Who else holds leases. Absent: everybody's are waited for. */
  readonly holders?: Holders
  /** From 0 to 1; spreads retries. */
  readonly random?: () => number
  readonly pollMs?: number
  readonly lingerMs?: number
}

export interface DeliveryWorker {
  /** Something may be due. */
  wake(): void
  /** Deliveries were just made for these webhooks. */
  tell(due: readonly Due[]): void
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
const LINGER_MS = 1_000
/** How long a stop waits for a database that is away. */
const PATIENCE_MS = 10_000

export function runDelivery(options: DeliveryOptions): DeliveryWorker {
  const { db, now, name = crypto.randomUUID(), random = Math.random } = options
  const lanes = new Map<string, Lane>()
  const recorder = createRecorder(db, random)
  let isRunning = true
  let isCrowded = false
  let isAsked = false
  let gone: readonly string[] = []
  let looking: Promise<void> | undefined
  const parts: LaneParts = {
    ...options,
    lingerMs: options.lingerMs ?? LINGER_MS,
    buckets: createBuckets(options.perSecond),
    reader: createReader(db, name, now),
    recorder,
    isRunning: () => isRunning,
    isCrowded: () => isCrowded,
  }

  const open = (lease: Lease) => {
    const lane = openLane(parts, lease)
    const ended = lane.ended
      .catch(complain)
      .then(() => releaseLease(db, name, lease))
      .catch(complain)
      .then(() => {
        lanes.delete(lease.webhookId)
        // It may have more, and others may have waited for its place.
        wake()
      })
    lanes.set(lease.webhookId, { ring: lane.ring, ended })
  }

  const look = async () => {
    while (isAsked && parts.isRunning()) {
      isAsked = false
      const onlyWell = lanes.size >= MOST_LANES - KEPT_FOR_WELL
      const most = (onlyWell ? MOST_LANES : MOST_LANES - KEPT_FOR_WELL) - lanes.size
      isCrowded = most <= 0
      if (isCrowded) return
      const leases = await takeLeases(db, name, now(), { most, onlyWell, open: [...lanes.keys()], gone })
      isCrowded = leases.length === most
      for (const lease of leases) open(lease)
    }
  }

  const wake = () => {
    isAsked = true
    if (!isRunning) return
    looking ??= look()
      .catch(complain)
      .finally(() => {
        looking = undefined
        if (isAsked && lanes.size < MOST_LANES) wake()
      })
  }

  const poll = async () => {
    wake()
    gone = (await options.holders?.findGone()) ?? []
    if (gone.length > 0) wake()
  }
  const timers = [
    setInterval(() => void poll().catch(complain), options.pollMs ?? POLL_MS),
    setInterval(() => void renewLeases(db, name, now(), [...lanes.keys()]).catch(complain), RENEW_MS),
  ]
  wake()

  const settled = async () => {
    for (;;) {
      const underWay = [...lanes.values()].map(({ ended }) => ended)
      if (looking !== undefined) underWay.push(looking)
      if (underWay.length === 0) return
      await Promise.all(underWay)
    }
  }

  return {
    wake() {
      for (const lane of lanes.values()) lane.ring()
      wake()
    },
    tell(due) {
      for (const { webhookId, heldBy } of due) {
        const lane = lanes.get(webhookId)
        if (lane !== undefined) lane.ring()
        else if (heldBy === null || heldBy === name) wake()
      }
    },
    settled,
    async stop() {
      isRunning = false
      for (const timer of timers) clearInterval(timer)
      for (const lane of lanes.values()) lane.ring()
      const patience = setTimeout(recorder.giveUp, PATIENCE_MS)
      await settled()
      clearTimeout(patience)
    },
  }
}

/** What was not done stays due. */
function complain(error: unknown): void {
  console.error(JSON.stringify({ level: 'error', message: 'Deliveries are held up.', error: String(error) }))
}
