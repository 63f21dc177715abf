/** The lanes of one process, by their webhooks. Each ends by giving its lease back. */

import type { Database } from '../../../db/connect'
import { logError } from '../../logging/log-error'
import { openLane, type Lane, type LaneParts } from './webhook-queue'
import { releaseLease, type Lease } from './lease'
import type { Made } from '../match/insert-deliveries'

export interface Lanes {
  readonly size: number
  ids(): string[]
  /** None for a webhook that has one. `made` is all that waits for it, where somebody knows. */
  open(lease: Lease, made?: Made): void
  find(webhookId: string): Lane | undefined
  all(): Iterable<Lane>
  /** Those that are open, until they have ended. */
  ended(): Promise<void>[]
}

/** What failed is not tried again at once. */
const PAUSE_MS = 500

/** `onEnd` is called when one has given its lease back: its webhook may have more, and others may wait for its place. */
export function createLanes(db: Database, name: string, parts: LaneParts, onEnd: () => void): Lanes {
  const lanes = new Map<string, Lane>()
  return {
    get size() {
      return lanes.size
    },
    ids: () => [...lanes.keys()],
    open(lease, made) {
      if (lanes.has(lease.webhookId)) return
      const lane = openLane(parts, lease, made)
      const ended = lane.ended
        .catch(async (error: unknown) => {
          complain(error)
          if (parts.isRunning()) await Bun.sleep(PAUSE_MS)
        })
        .then(() => releaseLease(db, name, lease))
        .catch(complain)
        .then(() => {
          lanes.delete(lease.webhookId)
          onEnd()
        })
      lanes.set(lease.webhookId, { ...lane, ended })
    },
    find: (webhookId) => lanes.get(webhookId),
    all: () => lanes.values(),
    ended: () => [...lanes.values()].map(({ ended }) => ended),
  }
}

/** What was not done stays due. */
export const complain = (error: unknown): void => logError('Deliveries are held up.', error)
