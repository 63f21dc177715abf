/**
 * The states of a webhook queue whose lease this process holds, and all transitions between them.
 * docs/architecture.md (Who owns a webhook's work) draws them, and the states of a webhook without a lease.
 */

import type { PendingDelivery } from '#events/webhooks/delivery'

export type QueueState =
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
export type DrainReason = 'lease lost' | 'process stops' | 'turn ended'

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
