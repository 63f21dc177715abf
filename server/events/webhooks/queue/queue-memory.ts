/**
 * The pending deliveries of one webhook queue, as this process has them in memory. First attempts are in the order of
 * their positions, without gaps. A queue memory that may lack a first attempt is incomplete and takes no published
 * deliveries until a read of the database completes it. See docs/decisions/webhook-delivery.md.
 */

import type { PendingDelivery } from '#events/webhooks/delivery'

export interface QueueMemory {
  /** Whether the memory has every pending first attempt, and gets each new one with `append`. */
  readonly isComplete: boolean
  /** The number of first attempts in memory. */
  readonly size: number
  /** Adds deliveries that this process has just published, the oldest first. No other batch lies before them. */
  append(deliveries: readonly PendingDelivery[]): void
  /** Another process may have published deliveries that are not in memory. */
  markGap(): void
  /** Forgets the deliveries whose attempt has not begun, because they have to be read again. The next read finds them. */
  discard(): void
  /** How often the memory was discarded. An attempt at a delivery that was taken before the last time must not begin. */
  readonly discards: number
  /** Begins a read of the database. Only one read runs at a time. */
  beginRead(): ReadRequest
  /** Adds what the read found. */
  endRead(result: PendingRead): void
  takeFirstAttempt(): PendingDelivery | undefined
  takeRetry(): PendingDelivery | undefined
  /** Call it when the attempt at this delivery is recorded: later reads do not find the delivery, or find it for a retry. */
  forget(id: string): void
}

export interface ReadRequest {
  /** The deliveries that the queue knows already. */
  readonly knownIds: ReadonlySet<string>
  /**
   * The queue knows all pending first attempts up to this position, except test events and deliveries that were dropped and are
   * repeated. The read leaves out those that it knows, and so does not read their bodies again.
   */
  readonly lastPosition: number
  /** The read leaves out first attempts above `lastPosition` as well. */
  readonly isComplete: boolean
}

/** What a read of the database finds. */
export interface PendingRead {
  /** The oldest deliveries without an attempt, in their order. */
  readonly firstAttempts: readonly PendingDelivery[]
  /** Whether `firstAttempts` has all deliveries without an attempt. */
  readonly isComplete: boolean
  /** Deliveries whose next attempt is due. */
  readonly retries: readonly PendingDelivery[]
}

/**
 * Whether the memory has every pending first attempt:
 *
 *     incomplete --beginRead--> reading                --endRead--> complete, or incomplete when more than fits is pending
 *     complete   --beginRead--> reading (wasComplete)  --endRead--> complete, or incomplete as above
 *     complete   --markGap, or append beyond the limit--> incomplete
 *     reading    --markGap, or append beyond the limit--> reading (hasGap) --endRead--> incomplete
 *     reading    --discard--> reading (isOutdated) --endRead, which adds nothing--> incomplete
 *     any other  --discard--> incomplete
 */
type Completeness =
  | { readonly name: 'complete' }
  | { readonly name: 'incomplete' }
  | {
      readonly name: 'reading'
      /** Whether the memory was complete when the read began. */
      readonly wasComplete: boolean
      readonly hasGap: boolean
      /** Whether the read may have begun before the memory was discarded. */
      readonly isOutdated: boolean
      /** Appended since the read began, to an incomplete memory. */
      readonly appended: PendingDelivery[]
      /** Recorded since the read began. The read may have found them still pending. */
      readonly recorded: string[]
    }

interface State {
  completeness: Completeness
  /** In memory, being sent, or sent and not recorded: a read finds these deliveries still pending. */
  readonly ids: Set<string>
  readonly firstAttempts: PendingDelivery[]
  /** The length of the bodies of `firstAttempts`. */
  length: number
  readonly retries: PendingDelivery[]
  /** How many first attempts may be in memory now. */
  readonly maxSize: () => number
  /** The highest position that was added, or 0 after the memory was discarded. */
  lastPosition: number
  discards: number
}

/** How long the bodies of published first attempts may be in memory, in characters. A process has up to 180 queues. */
const MAX_LENGTH = 250_000

/** `all` are all pending deliveries of the webhook; undefined when they are unknown. */
export function createQueueMemory(maxSize: () => number, all?: readonly PendingDelivery[]): QueueMemory {
  const state: State = {
    completeness: { name: all === undefined ? 'incomplete' : 'complete' },
    ids: new Set(),
    firstAttempts: [],
    length: 0,
    retries: [],
    maxSize,
    lastPosition: 0,
    discards: 0,
  }
  append(state, all ?? [])
  return {
    get isComplete() {
      return isComplete(state)
    },
    get size() {
      return state.firstAttempts.length
    },
    append: (deliveries) => append(state, deliveries),
    markGap: () => markGap(state),
    discard: () => discard(state),
    get discards() {
      return state.discards
    },
    beginRead: () => beginRead(state),
    endRead: (result) => endRead(state, result),
    takeFirstAttempt() {
      const delivery = state.firstAttempts.shift()
      state.length -= delivery?.body.length ?? 0
      return delivery
    },
    takeRetry: () => state.retries.shift(),
    forget(id) {
      if (state.completeness.name === 'reading') state.completeness.recorded.push(id)
      else state.ids.delete(id)
    },
  }
}

const isComplete = ({ completeness }: State): boolean =>
  completeness.name === 'complete' ||
  (completeness.name === 'reading' && completeness.wasComplete && !completeness.hasGap)

function append(state: State, deliveries: readonly PendingDelivery[]): void {
  // A read can find a delivery before the publisher appends it.
  const added = deliveries.filter(({ position }) => position > state.lastPosition)
  if (!isComplete(state)) {
    if (state.completeness.name === 'reading') state.completeness.appended.push(...added)
    return
  }
  const room = roomFor(state, added)
  add(state, added.slice(0, room))
  if (added.length > room) markGap(state)
}

/** How many of these deliveries, in their order, the memory may take. An empty memory takes a delivery of any length. */
function roomFor({ firstAttempts, length, maxSize }: State, deliveries: readonly PendingDelivery[]): number {
  const maxAdded = Math.min(Math.max(maxSize() - firstAttempts.length, 0), deliveries.length)
  let total = length
  for (let count = 0; count < maxAdded; count++) {
    if (total > MAX_LENGTH) return count
    total += deliveries[count]?.body.length ?? 0
  }
  return maxAdded
}

function add(state: State, deliveries: readonly PendingDelivery[]): void {
  for (const { id, position, body } of deliveries) {
    state.ids.add(id)
    state.lastPosition = Math.max(state.lastPosition, position)
    state.length += body.length
  }
  state.firstAttempts.push(...deliveries)
}

function markGap(state: State): void {
  const { completeness } = state
  state.completeness = completeness.name === 'reading' ? { ...completeness, hasGap: true } : { name: 'incomplete' }
}

function discard(state: State): void {
  for (const { id } of [...state.firstAttempts.splice(0), ...state.retries.splice(0)]) state.ids.delete(id)
  state.length = 0
  state.discards += 1
  state.lastPosition = 0 // reads leave out what is not above it
  const { completeness } = state
  if (completeness.name === 'reading') completeness.appended.length = 0
  state.completeness =
    completeness.name === 'reading' ? { ...completeness, hasGap: true, isOutdated: true } : { name: 'incomplete' }
}

function beginRead(state: State): ReadRequest {
  const wasComplete = isComplete(state)
  state.completeness = { name: 'reading', wasComplete, hasGap: false, isOutdated: false, appended: [], recorded: [] }
  return { knownIds: new Set(state.ids), lastPosition: state.lastPosition, isComplete: wasComplete }
}

function endRead(state: State, result: PendingRead): void {
  const { completeness, ids, firstAttempts } = state
  if (completeness.name !== 'reading') throw new Error('No read of this queue has begun.')
  const isNew = ({ id }: PendingDelivery) => !completeness.isOutdated && !ids.has(id)
  add(state, result.firstAttempts.filter(isNew))
  firstAttempts.sort((a, b) => a.position - b.position)
  const retries = result.retries.filter(isNew)
  for (const { id } of retries) ids.add(id)
  state.retries.push(...retries)
  for (const id of completeness.recorded) ids.delete(id)
  state.completeness = { name: result.isComplete && !completeness.hasGap ? 'complete' : 'incomplete' }
  append(state, completeness.appended)
}
