/** Which webhooks a process is at: those that wait longest, as many as there are places. Decisions 0061 and 0062. */

import type { Database } from '../../../db/connect'
import type { Clock } from '../../timing/clock'
import { complain, type WebhookQueues } from './webhook-queues'
import { takeLeases } from './lease'

export interface LeaseScheduler {
  /** Whether some wait for a place. */
  readonly isCrowded: boolean
  /** How many places there are for webhooks whose receivers answer. */
  readonly free: number
  /** Looks for webhooks with something due that nobody is at. */
  wake(): void
  /** While it looks. */
  readonly looking: Promise<void> | undefined
  /** The leases of these processes are free. */
  inherit(gone: readonly string[]): void
}

/** A lane has two requests under way at most, and the runtime 256 for the whole process. */
const MOST_LANES = 180
/** These places are for receivers that answered last time: those that hang leave them room. */
const KEPT_FOR_WELL = 60

/** `queues` are there when it is first woken. */
export function createLeaseScheduler(
  { db, now }: { readonly db: Database; readonly now: Clock },
  name: string,
  queues: () => WebhookQueues,
  isRunning: () => boolean,
): LeaseScheduler {
  let isCrowded = false
  let isAsked = false
  let gone: readonly string[] = []
  let looking: Promise<void> | undefined

  const look = async () => {
    while (isAsked && isRunning()) {
      isAsked = false
      const { size } = queues()
      const onlyWell = size >= MOST_LANES - KEPT_FOR_WELL
      const most = (onlyWell ? MOST_LANES : MOST_LANES - KEPT_FOR_WELL) - size
      isCrowded = most <= 0
      if (isCrowded) return
      const leases = await takeLeases(db, name, now(), { most, onlyWell, open: queues().ids(), gone })
      isCrowded = leases.length === most
      for (const lease of leases) queues().open(lease)
    }
  }

  const wake = () => {
    isAsked = true
    if (!isRunning()) return
    looking ??= look()
      .catch(complain)
      .finally(() => {
        looking = undefined
        if (isAsked && queues().size < MOST_LANES) wake()
      })
  }

  return {
    get isCrowded() {
      return isCrowded
    },
    get free() {
      return isCrowded ? 0 : Math.max(MOST_LANES - queues().size, 0)
    },
    get looking() {
      return looking
    },
    wake,
    inherit(those) {
      gone = those
      if (gone.length > 0) wake()
    },
  }
}
