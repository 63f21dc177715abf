/**
 * Sends what is due, for as many webhooks at once as there is room for. Any number of processes may: each webhook is one
 * process's at a time. Decisions 0061 and 0062.
 */

import type { Database } from '../../../db/connect'
import type { Clock } from '../../timing/clock'
import { createTokenBuckets } from '../send/token-bucket'
import type { DeadWorkerCheck } from './dead-workers'
import type { Due, Made, Taker } from '../match/insert-deliveries'
import type { WebhookQueueOptions } from './webhook-queue'
import { complain, createWebhookQueues, type WebhookQueues } from './webhook-queues'
import { renewLeases } from './lease'
import { createLeaseScheduler, type LeaseScheduler } from './lease-scheduler'
import { createRecorder, type Recorder } from '../record/attempt-recorder'
import type { Send } from '../send/send-request'
import { createReader } from './pending-deliveries'

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
  readonly holders?: DeadWorkerCheck
  /** From 0 to 1; spreads retries. */
  readonly random?: () => number
  /** Called for each attempt that could not be kept as it was. */
  readonly onRefused?: () => void
  readonly pollMs?: number
  readonly lingerMs?: number
}

export interface DeliveryWorker {
  /** Something may be due. */
  wake(): void
  /** Another process made deliveries for these webhooks. */
  tell(due: readonly Due[]): void
  /** What this process can take of what it is about to make. */
  taker(): Taker
  /** What it made, and whether nobody made anything between this and what it made before. */
  take(made: readonly Made[], follows: boolean): void
  /** Resolves when nothing is under way and nothing more was due. */
  settled(): Promise<void>
  /** Finishes what is being sent, keeps what came of it, gives the rest back. */
  stop(): Promise<void>
}

const POLL_MS = 1_000
const RENEW_MS = 10_000
const LINGER_MS = 1_000
/** How long a stop waits for a database that is away. */
const PATIENCE_MS = 10_000

export function runDeliveryWorker(options: DeliveryOptions): DeliveryWorker {
  const { db, now, name = crypto.randomUUID(), random = Math.random } = options
  let isRunning = true
  const goesOn = () => isRunning
  const recorder = createRecorder({ db, random, onRefused: options.onRefused })
  const places = createLeaseScheduler(options, name, () => queues, goesOn)
  const parts: WebhookQueueOptions = {
    ...options,
    lingerMs: options.lingerMs ?? LINGER_MS,
    buckets: createTokenBuckets(options.perSecond),
    reader: createReader(db, name, now),
    recorder,
    isRunning: goesOn,
    isCrowded: () => places.isCrowded,
  }
  const queues = createWebhookQueues(db, name, parts, places.wake)
  const timers = startTimers(options, name, queues, places)
  places.wake()
  const settled = () => settle(queues, places)

  return {
    wake() {
      for (const queue of queues.all()) queue.ring()
      places.wake()
    },
    tell: (due) => ringFor(due, name, queues, places),
    taker: () => ({ name, room: isRunning ? places.free : 0, now: now() }),
    take: (made, follows) => handOut(made, follows, name, queues, places),
    settled,
    async stop() {
      isRunning = false
      for (const timer of timers) clearInterval(timer)
      for (const queue of queues.all()) queue.ring()
      await withPatience(recorder, settled())
    },
  }
}

function startTimers(
  { db, now, holders, pollMs }: DeliveryOptions,
  name: string,
  queues: WebhookQueues,
  places: LeaseScheduler,
) {
  const poll = async () => {
    places.wake()
    places.inherit((await holders?.findGone()) ?? [])
  }
  return [
    setInterval(() => void poll().catch(complain), pollMs ?? POLL_MS),
    setInterval(() => void renewLeases(db, name, now(), queues.ids()).catch(complain), RENEW_MS),
  ]
}

/** Of webhooks that are another's, the other was told as well. */
function ringFor(due: readonly Due[], name: string, queues: WebhookQueues, places: LeaseScheduler): void {
  for (const { webhookId, heldBy } of due) {
    const queue = queues.find(webhookId)
    if (queue !== undefined) {
      queue.miss()
      queue.ring()
    } else if (heldBy === null || heldBy === name) places.wake()
  }
}

/**
 * Lanes that were handed all that was made so far are handed this, and need not read it again. If another process made
 * something meanwhile, it may be for any of them.
 */
function handOut(
  made: readonly Made[],
  follows: boolean,
  name: string,
  queues: WebhookQueues,
  places: LeaseScheduler,
): void {
  if (!follows) for (const queue of queues.all()) queue.miss()
  for (const each of made) {
    const queue = queues.find(each.webhookId)
    if (each.isTaken) queues.open(each.hook, each)
    else if (queue === undefined && (each.heldBy === null || each.heldBy === name)) places.wake()
    if (each.heldBy === name) queue?.hand(each)
    else queue?.lose()
  }
}

async function settle(queues: WebhookQueues, places: LeaseScheduler): Promise<void> {
  for (;;) {
    const underWay = queues.ended()
    if (places.looking !== undefined) underWay.push(places.looking)
    if (underWay.length === 0) return
    await Promise.all(underWay)
  }
}

async function withPatience(recorder: Recorder, settled: Promise<void>): Promise<void> {
  const patience = setTimeout(recorder.giveUp, PATIENCE_MS)
  await settled
  clearTimeout(patience)
}
