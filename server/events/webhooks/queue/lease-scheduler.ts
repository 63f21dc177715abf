/** Takes the leases of due webhooks, as many as this process has free slots. Decisions 0061 and 0062. */

import { logDeliveryError, type ProcessQueues } from './process-queues'
import { createWorkLoop } from '#base/timing/work-loop'
import type { LeaseStore } from './lease'
import type { ProcessStatus } from './webhook-queue'

export interface LeaseScheduler {
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

export function createLeaseScheduler(
  leases: LeaseStore,
  queues: ProcessQueues,
  process: ProcessStatus,
): LeaseScheduler {
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
