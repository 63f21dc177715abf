/**
 * Sends the due deliveries of many webhooks concurrently. Any number of processes run a worker; the lease of a webhook gives
 * it to one of them. See docs/decisions/webhook-delivery.md.
 */

import type { DueWebhook, InsertedDeliveries } from '#events/webhooks/delivery'
import { type AttemptRecorder, createRecorder, type RecorderOptions } from '#events/webhooks/record/attempt-recorder'
import { createAttemptSender, type SendingOptions } from '#events/webhooks/send/attempt-sender'
import {
  createLeaseStore,
  type LeaseStore,
  type PublishingWorker,
  type WorkerProcess,
  type WebhookLease,
} from './lease'
import { createReader } from './pending-deliveries'
import { type ProcessStatus, startWebhookQueue, type QueueContext, type WebhookQueue } from './webhook-queue'
import { createWorkLoop } from '#base/timing/run-periodically'
import { logError } from '#base/logging/log-error'
import { groupOf } from '#engine/outbox/outbox'

export interface DeliveryOptions extends WorkerProcess {
  readonly sending: SendingOptions
  readonly recording?: RecorderOptions
  readonly pollMs?: number
  readonly lingerMs?: number
}

export interface DeliveryWorker {
  /** A delivery may be due. */
  wake(): void
  /** Another process inserted deliveries for these webhooks. */
  notify(due: readonly DueWebhook[]): void
  /** Pending deliveries of these webhooks have to be read again. Undefined: of any webhook. */
  discard(webhookIds?: readonly string[]): void
  /** Those of all webhooks of a workspace. */
  discardWorkspace(workspaceId: string): void
  /** What the publisher of this process needs to know to take leases for the worker. */
  publishingWorker(): PublishingWorker
  /**
   * Takes the deliveries of a batch of this process, for which it called `publishingWorker`. `gaps` are the groups of workspaces that another
   * process may have published since.
   */
  append(inserted: readonly InsertedDeliveries[], gaps: ReadonlySet<number>): void
  /** Resolves when no attempt runs and no more deliveries are due. */
  settled(): Promise<void>
  /** Finishes the running attempts, records them and releases all leases. */
  stop(): Promise<void>
}

const POLL_MS = 1_000
const RENEW_MS = 10_000
const LINGER_MS = 1_000
/** How long a stop waits for a database that does not answer. */
const STOP_TIMEOUT_MS = 10_000

export function runDeliveryWorker(options: DeliveryOptions): DeliveryWorker {
  const { now, name, lingerMs = LINGER_MS } = options
  const process: ProcessStatus = { isStopping: false, areSlotsShort: false }
  const recorder = createRecorder(options.db, options.recording)
  const sender = createAttemptSender(options.sending, options.db.secrets, now)
  const leases = createLeaseStore(options)
  const context = { reader: createReader(options), sender, recorder, lingerMs, process }
  const queues = createProcessQueues(context, leases, () => scheduler.wake())
  const scheduler = createLeaseScheduler(leases, queues, process)
  const timers = startTimers(options, leases, queues, scheduler)
  /** Whether webhooks or viewers changed since the publisher began to match its batch. */
  let hasChanged = false
  scheduler.wake()
  const settled = () => settle(queues, scheduler)

  return {
    wake() {
      for (const queue of queues.all()) queue.wake()
      scheduler.wake()
    },
    notify: (due) => wakeQueues(due, name, queues, scheduler),
    discard(webhookIds = queues.ids()) {
      hasChanged = true
      for (const id of webhookIds) queues.find(id)?.discard()
    },
    discardWorkspace(workspaceId) {
      hasChanged = true
      for (const queue of queues.ofWorkspace(workspaceId)) queue.discard()
    },
    publishingWorker() {
      hasChanged = false
      return { name, freeSlots: scheduler.freeSlots, now: now() }
    },
    append(inserted, gaps) {
      if (gaps.size > 0) for (const queue of queues.ofGroups(gaps)) queue.markGap()
      for (const each of inserted) {
        // What was matched with earlier viewers is read again before the first attempt.
        if (hasChanged) queues.find(each.webhookId)?.discard()
        appendTo(each, { name, hasChanged }, queues, scheduler)
      }
    },
    settled,
    async stop() {
      process.isStopping = true
      for (const timer of timers) clearInterval(timer)
      for (const queue of queues.all()) queue.wake()
      await withStopTimeout(recorder, settled())
    },
  }
}

function startTimers(
  { pollMs = POLL_MS }: DeliveryOptions,
  leases: LeaseStore,
  queues: ProcessQueues,
  scheduler: LeaseScheduler,
) {
  return [
    setInterval(scheduler.wake, pollMs),
    setInterval(() => void leases.renew(queues.ids()).catch(logDeliveryError), RENEW_MS),
  ]
}

/** Leaves out webhooks that other processes lease: those processes are notified as well. */
function wakeQueues(due: readonly DueWebhook[], name: string, queues: ProcessQueues, scheduler: LeaseScheduler): void {
  for (const { webhookId, leasedBy } of due) {
    const queue = queues.find(webhookId)
    if (queue !== undefined) {
      queue.markGap()
      queue.wake()
    } else if (leasedBy === null || leasedBy === name) scheduler.wake()
  }
}

function appendTo(
  inserted: InsertedDeliveries,
  { name, hasChanged }: { readonly name: string; readonly hasChanged: boolean },
  queues: ProcessQueues,
  scheduler: LeaseScheduler,
): void {
  const { webhookId, webhook, leasedBy, isLeaseTaken } = inserted
  const queue = queues.find(webhookId)
  if (isLeaseTaken) queues.start(webhook, hasChanged ? undefined : inserted)
  else if (queue === undefined && (leasedBy === null || leasedBy === name)) scheduler.wake()
  if (leasedBy === name) queue?.append(inserted)
  else queue?.loseLease()
}

async function settle(queues: ProcessQueues, scheduler: LeaseScheduler): Promise<void> {
  for (;;) {
    const running = queues.released()
    if (scheduler.scan !== undefined) running.push(scheduler.scan)
    if (running.length === 0) return
    await Promise.all(running)
  }
}

async function withStopTimeout(recorder: AttemptRecorder, settled: Promise<void>): Promise<void> {
  const timer = setTimeout(recorder.stopRetrying, STOP_TIMEOUT_MS)
  await settled
  clearTimeout(timer)
}

/** Takes the leases of due webhooks, as many as this process has free slots. See docs/decisions/webhook-delivery.md. */
interface LeaseScheduler {
  /** The number of slots that a publisher may fill with webhooks whose receivers do not fail. */
  readonly freeSlots: number
  /** Looks for due webhooks without a lease. */
  wake(): void
  /** The running scan for due webhooks; undefined when none runs. */
  readonly scan: Promise<void> | undefined
}

/** A queue makes at most two concurrent requests, and the runtime 256 for the whole process. */
const SLOTS = 180
/** Slots for receivers whose last attempt succeeded, so that hanging receivers cannot take all slots. */
const HEALTHY_SLOTS = 60

function createLeaseScheduler(leases: LeaseStore, queues: ProcessQueues, process: ProcessStatus): LeaseScheduler {
  const loop = createWorkLoop(async () => {
    if (process.isStopping) return
    const onlyHealthy = queues.size >= SLOTS - HEALTHY_SLOTS
    const limit = (onlyHealthy ? SLOTS : SLOTS - HEALTHY_SLOTS) - queues.size
    process.areSlotsShort = limit <= 0
    if (process.areSlotsShort) return
    const taken = await leases.take({ limit, onlyHealthy, openIds: queues.ids() })
    process.areSlotsShort = taken.length === limit
    for (const lease of taken) queues.start(lease)
  }, logDeliveryError)

  return {
    get freeSlots() {
      return process.areSlotsShort || process.isStopping ? 0 : Math.max(SLOTS - queues.size, 0)
    },
    get scan() {
      return loop.running
    },
    wake: loop.request,
  }
}

// The webhook queues of one process, by webhook id. The process releases a queue's lease when the queue ends.

interface ProcessQueues {
  readonly size: number
  ids(): string[]
  /** Starts a queue, unless the webhook has one. `all` are all pending deliveries of the webhook, when they are known. */
  start(lease: WebhookLease, all?: InsertedDeliveries): void
  find(webhookId: string): WebhookQueue | undefined
  ofWorkspace(workspaceId: string): WebhookQueue[]
  ofGroups(groups: ReadonlySet<number>): WebhookQueue[]
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
function createProcessQueues(context: QueueContext, leases: LeaseStore, onRelease: () => void): ProcessQueues {
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
    ofGroups: (groups) =>
      [...queues.values()].flatMap(({ queue, lease }) => (groups.has(groupOf(lease.workspaceId)) ? queue : [])),
    all: () => queues.values().map(({ queue }) => queue),
    released: () => [...queues.values()].map(({ released }) => released),
  }
}

/** The deliveries stay due, so that a later turn sends them. */
const logDeliveryError = (error: unknown): void => logError('Webhook deliveries are delayed.', error)
