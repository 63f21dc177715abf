/**
 * One webhook's turn: first attempts one after the other, in the order of their events; those to be tried again beside
 * them, so that they hold nothing up. Spec: webhooks 6.
 */

import type { Database } from '../../db/connect'
import type { Clock } from '../time'
import type { Buckets } from './bucket'
import { listAgain, listFirst, type Lease, type Waiting } from './lease'
import type { Recorder } from './record'
import type { Send } from './send'
import { headersOf } from './sign'

export interface LaneParts {
  readonly db: Database
  readonly now: Clock
  readonly send: Send
  readonly buckets: Buckets
  readonly recorder: Recorder
  readonly brand: string
  readonly docsUrl: string
  /** Whether this process goes on; a turn ends soon when it does not. */
  readonly isRunning: () => boolean
}

const FIRST_AT_ONCE = 100
const AGAIN_AT_ONCE = 10
/** After this long it is others' turn, if they wait. */
const TURN_MS = 2_000

/** Sends until nothing is due, or the turn is over. Resolves when everything that was sent is recorded. */
export async function runLane(parts: LaneParts, lease: Lease): Promise<void> {
  const end = performance.now() + TURN_MS
  const hasTime = () => parts.isRunning() && performance.now() < end
  if (lease.failures === 0) {
    await Promise.all([sendFirst(parts, lease, hasTime), sendAgain(parts, lease, hasTime)])
    return
  }
  // The runtime has a number of requests at most under way; receivers that hang get one each.
  await sendFirst(parts, lease, hasTime)
  await sendAgain(parts, lease, hasTime)
}

async function sendFirst(parts: LaneParts, lease: Lease, hasTime: () => boolean): Promise<void> {
  while (hasTime()) {
    const waiting = await listFirst(parts.db, lease, FIRST_AT_ONCE)
    if (waiting.length === 0) return
    await attemptAll(parts, lease, waiting, hasTime)
  }
}

async function sendAgain(parts: LaneParts, lease: Lease, hasTime: () => boolean): Promise<void> {
  while (hasTime()) {
    const waiting = await listAgain(parts.db, lease, parts.now(), AGAIN_AT_ONCE)
    if (waiting.length === 0) return
    await attemptAll(parts, lease, waiting, hasTime)
  }
}

/** One after the other. Resolves when all are recorded, for else they would be found waiting again. */
async function attemptAll(
  parts: LaneParts,
  lease: Lease,
  waiting: readonly Waiting[],
  hasTime: () => boolean,
): Promise<void> {
  const recorded: Promise<void>[] = []
  for (const delivery of waiting) {
    if (!hasTime()) break
    recorded.push((await attempt(parts, lease, delivery)).recorded)
  }
  await Promise.all(recorded)
}

/** Resolves when the receiver has answered, or will not. */
async function attempt(parts: LaneParts, lease: Lease, delivery: Waiting): Promise<{ recorded: Promise<void> }> {
  const { now, send, buckets, recorder, brand, docsUrl } = parts
  const wait = buckets.take(lease.target)
  if (wait > 0) await Bun.sleep(wait)
  const at = now()
  const { idempotencyKey, body } = delivery
  const signing = { brand, docsUrl, idempotencyKey, secrets: lease.secrets }
  const headers = headersOf({ ...signing, attempt: delivery.attempts + 1, seconds: Math.floor(at / 1_000_000) }, body)
  const attempted = await send({ target: lease.target, headers, body })
  return { recorded: recorder.record({ lease, delivery, at, requestHeaders: headers, attempted }) }
}
