/** Where a lane's attempts are made, one call for each, and handed on to be recorded. */

import type { Clock } from '../../timing/clock'
import type { Backlog } from '../queue/backlog'
import type { TokenBuckets } from './token-bucket'
import type { Recorder } from '../record/attempt-recorder'
import type { Send } from './send-request'
import { headersOf } from './sign'
import type { WebhookTarget, Waiting } from '../queue/pending-deliveries'

export interface AttemptSenderOptions {
  readonly now: Clock
  readonly send: Send
  readonly buckets: TokenBuckets
  readonly recorder: Recorder
  readonly brand: string
  readonly docsUrl: string
}

export interface AttemptSender {
  /** Resolves when the receiver has answered, or will not. What came of it is recorded beside what comes next. */
  attempt(hook: WebhookTarget, delivery: Waiting): Promise<void>
  /** Resolves when everything is recorded. */
  recorded(): Promise<void>
}

/** What is sent and not recorded is remembered; beyond this many, recording comes first. */
const MOST_UNRECORDED = 500

export function createAttemptSender(parts: AttemptSenderOptions, backlog: Pick<Backlog, 'forget'>): AttemptSender {
  const recording = new Set<Promise<void>>()
  const recorded = async () => void (await Promise.all(recording))

  return {
    recorded,
    async attempt(hook, delivery) {
      const outcome = await makeAttempt(parts, hook, delivery)
      const record = parts.recorder.record(outcome).then((isKept) => {
        recording.delete(record)
        if (isKept) backlog.forget(delivery.id)
      })
      recording.add(record)
      if (recording.size >= MOST_UNRECORDED) await recorded()
    },
  }
}

async function makeAttempt(
  { now, send, buckets, brand, docsUrl }: AttemptSenderOptions,
  hook: WebhookTarget,
  delivery: Waiting,
) {
  const wait = buckets.take(hook.target)
  if (wait > 0) await Bun.sleep(wait)
  const at = now()
  const { idempotencyKey, body } = delivery
  const signing = { brand, docsUrl, idempotencyKey, secrets: hook.secrets }
  const headers = headersOf({ ...signing, attempt: delivery.attempts + 1, seconds: Math.floor(at / 1_000_000) }, body)
  const attempted = await send({ target: hook.target, headers, body })
  return { hook, delivery, at, requestHeaders: headers, attempted }
}
