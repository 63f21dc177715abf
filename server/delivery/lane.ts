/**
 * One webhook's turn: first attempts one after the other, in the order of their events; those to be tried again beside
 * them, so that they hold nothing up. Then it stays a moment for what comes next. Spec: webhooks 6, decision 0062.
 */

import type { Clock } from '../time'
import { createBell, type Bell } from './bell'
import type { Buckets } from './bucket'
import type { Lease } from './lease'
import type { Recorder } from './recorder'
import type { Send } from './send'
import { headersOf } from './sign'
import type { Hook, Reader, Waiting } from './waiting'

export interface LaneParts {
  readonly now: Clock
  readonly send: Send
  readonly buckets: Buckets
  readonly reader: Reader
  readonly recorder: Recorder
  readonly brand: string
  readonly docsUrl: string
  /** How long it stays when nothing is due. */
  readonly lingerMs: number
  /** Whether this process goes on; a turn ends soon when it does not. */
  readonly isRunning: () => boolean
  /** Whether others wait for a place; then turns are short and nobody stays. */
  readonly isCrowded: () => boolean
}

export interface Lane {
  /** Something may be due. */
  ring(): void
  /** Resolves when everything that was sent is recorded. */
  readonly ended: Promise<void>
}

const TURN_MS = 2_000
/** A receiver that fails gets first attempts and others by turns of this length. */
const SLICE_MS = 1_000
/** What is sent and not recorded is remembered; beyond this many, recording comes first. */
const MOST_UNRECORDED = 500

export function openLane(parts: LaneParts, lease: Lease): Lane {
  const bell = createBell()
  return { ring: bell.ring, ended: work(createDesk(parts), parts, lease, bell) }
}

async function work(desk: Desk, parts: LaneParts, lease: Lease, bell: Bell): Promise<void> {
  const end = performance.now() + TURN_MS
  const goesOn = () => parts.isRunning() && (performance.now() < end || !parts.isCrowded())
  let again: Promise<void> | undefined
  try {
    while (goesOn()) {
      bell.still()
      const found = await parts.reader.read(lease, desk.claimed)
      if (found === undefined) break
      const { hook, first } = found
      if (hook.failures > 0 && again !== undefined) {
        await again
        continue
      }
      if (hook.failures > 0) {
        // The runtime has a number of requests at most under way; receivers that hang get one each.
        await desk.sendAll(hook, first, sliceOf(goesOn))
        await desk.sendAll(hook, found.again, sliceOf(goesOn))
        if (first.length + found.again.length > 0) continue
      } else {
        if (found.again.length > 0)
          again ??= desk.sendAll(hook, found.again, goesOn).finally(() => {
            again = undefined
            bell.ring()
          })
        await desk.sendAll(hook, first, goesOn)
        if (first.length > 0) continue
      }
      if (again !== undefined) await bell.rung()
      else if (parts.isCrowded() || !(await bell.rung(parts.lingerMs))) break
    }
  } finally {
    await again
    await desk.recorded()
  }
}

function sliceOf(goesOn: () => boolean): () => boolean {
  const end = performance.now() + SLICE_MS
  return () => goesOn() && performance.now() < end
}

/** Where a lane's attempts are made. */
interface Desk {
  /** Deliveries that are being sent, or sent and not recorded yet: they would be found waiting again. */
  readonly claimed: ReadonlySet<string>
  /** One after the other, as long as `goesOn`. */
  sendAll(hook: Hook, waiting: readonly Waiting[], goesOn: () => boolean): Promise<void>
  recorded(): Promise<void>
}

function createDesk(parts: LaneParts): Desk {
  const claimed = new Set<string>()
  const recording = new Set<Promise<void>>()
  const recorded = async () => void (await Promise.all(recording))

  const attempt = async (hook: Hook, delivery: Waiting) => {
    const outcome = await makeAttempt(parts, hook, delivery)
    const record = parts.recorder.record(outcome).then(() => {
      recording.delete(record)
      claimed.delete(delivery.id)
    })
    recording.add(record)
  }

  return {
    claimed,
    recorded,
    async sendAll(hook, waiting, goesOn) {
      for (const { id } of waiting) claimed.add(id)
      for (const [index, delivery] of waiting.entries()) {
        if (!goesOn()) {
          for (const { id } of waiting.slice(index)) claimed.delete(id)
          return
        }
        await attempt(hook, delivery)
        if (recording.size >= MOST_UNRECORDED) await recorded()
      }
    },
  }
}

/** Resolves when the receiver has answered, or will not. */
async function makeAttempt({ now, send, buckets, brand, docsUrl }: LaneParts, hook: Hook, delivery: Waiting) {
  const wait = buckets.take(hook.target)
  if (wait > 0) await Bun.sleep(wait)
  const at = now()
  const { idempotencyKey, body } = delivery
  const signing = { brand, docsUrl, idempotencyKey, secrets: hook.secrets }
  const headers = headersOf({ ...signing, attempt: delivery.attempts + 1, seconds: Math.floor(at / 1_000_000) }, body)
  const attempted = await send({ target: hook.target, headers, body })
  return { hook, delivery, at, requestHeaders: headers, attempted }
}
