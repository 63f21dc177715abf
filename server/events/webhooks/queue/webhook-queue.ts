/**
 * Works through the pending deliveries of one webhook while this process holds the lease: first attempts one after the
 * other in the order of their events, retries beside them so that a retry delays no first attempt.
 * See README.md of this folder, docs/reference/webhooks-and-events.md (Attempts), docs/decisions/webhook-delivery.md.
 */

import { createWakeSignal, type WakeSignal } from '#base/timing/wait'
import type { InsertedDeliveries, PendingDelivery, WebhookTarget } from '#events/webhooks/delivery'
import type { AttemptRecorder, AttemptOutcome } from '#events/webhooks/record/attempt-recorder'
import type { AttemptSender } from '#events/webhooks/send/attempt-sender'
import type { WebhookLease } from './lease'
import { maxPublished, type PendingDeliveriesReader } from './pending-deliveries'
import { createQueueMemory, type QueueMemory } from './queue-memory'

/** What all queues of a process use. The worker creates it once. */
export interface QueueContext {
  readonly reader: PendingDeliveriesReader
  readonly sender: AttemptSender
  readonly recorder: AttemptRecorder
  /** How long a queue keeps its lease when nothing is due. */
  readonly lingerMs: number
  readonly process: ProcessStatus
}

/** What the worker and the lease scheduler tell the queues of their process. */
export interface ProcessStatus {
  isStopping: boolean
  /** Whether other webhooks wait for a slot. Then queues end after `TURN_MS` and do not linger. */
  areSlotsShort: boolean
}

export interface WebhookQueue {
  /** A delivery may be due: the queue reads the database. */
  wake(): void
  /** Adds deliveries that this process has just published. No other batch lies before them. */
  append(inserted: InsertedDeliveries): void
  /** Another process may have published deliveries for the webhook. */
  markGap(): void
  /** Pending deliveries, the webhook or its viewers have changed: the queue reads them again before its next attempt. */
  discard(): void
  /** Another process holds the lease now. */
  loseLease(): void
  /** Resolves when all attempts are recorded. Rejects when a read failed. */
  readonly ended: Promise<void>
}

const TURN_MS = 2_000
/** A queue that is never empty releases its lease after this time, because the release computes `waiting_since`. */
const MAX_LEASE_MS = 3_600_000
/** A failing receiver gets first attempts and retries in turns of this length. */
const FAILING_TURN_MS = 1_000
/** The queue reads at least this often, to find retries that became due and the loss of its lease. */
const READ_EVERY_MS = 1_000
/** An incomplete queue reads when it has fewer first attempts than this. */
const LOW_WATER_MARK = 25

/** Begins to work. `all` are all pending deliveries of the webhook; without them the queue begins with a read. */
export function startWebhookQueue(context: QueueContext, lease: WebhookLease, all?: InsertedDeliveries): WebhookQueue {
  const startedAt = performance.now()
  const webhook = all?.webhook
  const progress: Progress = { webhook, isReadRequested: all === undefined, isLeaseHeld: true, readAt: startedAt }
  const memory = createQueueMemory(() => maxPublished(progress.webhook?.failures ?? 0), all?.deliveries)
  const unrecorded = createUnrecordedAttempts(context.recorder, memory.forget)
  const queue: Queue = { context, lease, startedAt, progress, memory, unrecorded, wakeSignal: createWakeSignal() }
  return {
    wake() {
      progress.isReadRequested = true
      queue.wakeSignal.wake()
    },
    append(inserted) {
      // A read decides which rights are the later ones.
      if (progress.webhook !== undefined && progress.webhook.rights !== inserted.webhook.rights) return discard(queue)
      progress.webhook = inserted.webhook
      memory.append(inserted.deliveries)
      queue.wakeSignal.wake()
    },
    markGap: memory.markGap,
    discard: () => discard(queue),
    loseLease() {
      progress.isLeaseHeld = false
      queue.wakeSignal.wake()
    },
    ended: run(queue),
  }
}

function discard({ memory, progress, wakeSignal }: Queue): void {
  memory.discard()
  progress.isReadRequested = true
  wakeSignal.wake()
}

interface Progress {
  /** As the last read or the last published batch had it; undefined before the first read. */
  webhook: WebhookTarget | undefined
  isReadRequested: boolean
  isLeaseHeld: boolean
  /** Set when a read failed. The process then cannot know whether it holds the lease. */
  readError?: unknown
  readAt: number
  /** The running read. */
  reading?: Promise<void> | undefined
  /** The running retries of a receiver that does not fail. */
  retrying?: Promise<void> | undefined
}

interface Queue {
  readonly context: QueueContext
  readonly lease: WebhookLease
  readonly startedAt: number
  readonly progress: Progress
  readonly memory: QueueMemory
  readonly unrecorded: UnrecordedAttempts
  readonly wakeSignal: WakeSignal
}

async function run(queue: Queue): Promise<void> {
  const { progress, unrecorded } = queue
  try {
    while (await step(queue));
  } finally {
    await progress.reading
    await progress.retrying
    await unrecorded.settled()
  }
  if (progress.readError !== undefined) throw progress.readError
}

/** Enters the next state and does its work. Returns false when the queue is to end. */
async function step(queue: Queue): Promise<boolean> {
  const { context, progress, wakeSignal } = queue
  const drainReason = drainReasonOf(queue)
  wakeSignal.clear()
  if (drainReason === undefined && isReadDue(queue)) progress.reading = read(queue)
  const nextAttempt = drainReason === undefined ? takeNextAttempt(queue) : undefined
  const isReading = progress.reading !== undefined
  const isRetrying = progress.retrying !== undefined
  const { areSlotsShort } = context.process
  const state = nextState({ drainReason, nextAttempt, isReading, isRetrying, areSlotsShort })
  if (state.name === 'sending') await attempt(queue, state.delivery)
  else if (state.name === 'reading' || state.name === 'retrying') await wakeSignal.wait()
  else return state.name === 'lingering' && wakeSignal.wait(context.lingerMs)
  return true
}

function drainReasonOf({ context, progress, startedAt }: Queue): DrainReason | undefined {
  const { isStopping, areSlotsShort } = context.process
  const age = performance.now() - startedAt
  if (!progress.isLeaseHeld) return 'lease lost'
  if (isStopping) return 'process stops'
  return age >= MAX_LEASE_MS || (areSlotsShort && age >= TURN_MS) ? 'turn ended' : undefined
}

const isFailing = ({ webhook }: Progress): boolean => webhook !== undefined && webhook.failures > 0

function isReadDue({ progress, memory }: Queue): boolean {
  if (progress.reading !== undefined) return false
  const isLow = !memory.isComplete && memory.size < (isFailing(progress) ? 1 : LOW_WATER_MARK)
  return progress.isReadRequested || isLow || performance.now() > progress.readAt + READ_EVERY_MS
}

async function read({ context, lease, progress, memory, wakeSignal }: Queue): Promise<void> {
  progress.isReadRequested = false
  progress.readAt = performance.now()
  try {
    const result = await context.reader.read(lease, memory.beginRead())
    if (result === undefined) progress.isLeaseHeld = false
    else {
      progress.webhook = result.webhook
      memory.endRead(result)
    }
  } catch (error) {
    progress.isLeaseHeld = false
    progress.readError = error
  }
  progress.reading = undefined
  wakeSignal.wake()
}

/**
 * Takes the next attempt in turn. A failing receiver gets one request at a time, because the runtime limits the number of
 * concurrent requests. Any other receiver gets retries beside the first attempts.
 */
function takeNextAttempt(queue: Queue): PendingDelivery | undefined {
  const { progress, memory, startedAt } = queue
  if (progress.webhook === undefined) return undefined
  if (!isFailing(progress)) {
    progress.retrying ??= startRetries(queue)
    return memory.takeFirstAttempt()
  }
  if (progress.retrying !== undefined) return undefined
  const isTurnOfFirst = Math.floor((performance.now() - startedAt) / FAILING_TURN_MS) % 2 === 0
  return isTurnOfFirst
    ? (memory.takeFirstAttempt() ?? memory.takeRetry())
    : (memory.takeRetry() ?? memory.takeFirstAttempt())
}

/** Returns undefined when no retry is due. */
function startRetries(queue: Queue): Promise<void> | undefined {
  const delivery = queue.memory.takeRetry()
  return delivery && runRetries(queue, delivery)
}

async function runRetries(queue: Queue, first: PendingDelivery): Promise<void> {
  const { progress, memory, wakeSignal } = queue
  try {
    for (let delivery: PendingDelivery | undefined = first; delivery !== undefined;) {
      await attempt(queue, delivery)
      const mayContinue = drainReasonOf(queue) === undefined && !isFailing(progress)
      delivery = mayContinue ? memory.takeRetry() : undefined
    }
  } finally {
    progress.retrying = undefined
    wakeSignal.wake()
  }
}

/**
 * The recorder stores the outcome while the queue continues. No attempt begins at a delivery whose rights differ from those of the
 * webhook as it was read last, or that was in a memory that is discarded: the queue reads it again.
 */
async function attempt(queue: Queue, delivery: PendingDelivery): Promise<void> {
  const { context, progress, memory, unrecorded } = queue
  const { discards } = memory
  const present = () => {
    const { webhook } = progress
    return webhook?.rights === delivery.rights && memory.discards === discards ? webhook : undefined
  }
  const outcome = await context.sender(present, delivery)
  if (outcome !== undefined) return unrecorded.add(outcome)
  memory.forget(delivery.id)
  discard(queue)
}

/** The finished attempts of one queue that are not recorded yet. The queue does not wait for each record. */
interface UnrecordedAttempts {
  /** Resolves immediately, or when all are recorded if there are too many. */
  add(outcome: AttemptOutcome): Promise<void>
  /** Resolves when all attempts are recorded. */
  settled(): Promise<void>
}

const MAX_UNRECORDED = 500

/** `onRecorded` gets the id of each delivery whose attempt is recorded. */
function createUnrecordedAttempts(
  recorder: AttemptRecorder,
  onRecorded: (deliveryId: string) => void,
): UnrecordedAttempts {
  const recording = new Set<Promise<void>>()
  const settled = async () => void (await Promise.all(recording))
  return {
    settled,
    async add(outcome) {
      const record = recorder.record(outcome).then((isRecorded) => {
        recording.delete(record)
        if (isRecorded) onRecorded(outcome.delivery.id)
      })
      recording.add(record)
      if (recording.size >= MAX_UNRECORDED) await settled()
    },
  }
}

/**
 * The states of a webhook queue whose lease this process holds, and all transitions between them.
 * docs/architecture.md (Who owns a webhook's work) draws them, and the states of a webhook without a lease.
 */
type QueueState =
  /** The sender makes this attempt. Retries and a read of the database may run beside it. */
  | { readonly name: 'sending'; readonly delivery: PendingDelivery }
  /** No attempt can be made before the running read ends. */
  | { readonly name: 'reading' }
  /** No other attempt can be made before the running retries end. */
  | { readonly name: 'retrying' }
  /** Nothing is due. The queue keeps its lease for a moment and waits for a wake signal. */
  | { readonly name: 'lingering' }
  /**
   * The queue begins no attempt. It waits until all attempts are recorded; then the process releases the lease. A queue that
   * lingered without a wake signal drains without a reason.
   */
  | { readonly name: 'draining'; readonly reason: DrainReason }

/** A queue also loses its lease when the sending is held. */
type DrainReason = 'lease lost' | 'process stops' | 'turn ended'

/** What decides about the next state. */
export interface QueueFacts {
  /** Set when the queue has to end whatever is pending. */
  readonly drainReason: DrainReason | undefined
  readonly nextAttempt: PendingDelivery | undefined
  readonly isReading: boolean
  readonly isRetrying: boolean
  /** Whether other webhooks wait for a slot of this process. */
  readonly areSlotsShort: boolean
}

export function nextState(facts: QueueFacts): QueueState {
  const { drainReason, nextAttempt, isReading, isRetrying, areSlotsShort } = facts
  if (drainReason !== undefined) return { name: 'draining', reason: drainReason }
  if (nextAttempt !== undefined) return { name: 'sending', delivery: nextAttempt }
  if (isReading) return { name: 'reading' }
  if (isRetrying) return { name: 'retrying' }
  if (areSlotsShort) return { name: 'draining', reason: 'turn ended' }
  return { name: 'lingering' }
}
