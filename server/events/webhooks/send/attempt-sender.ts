/** Makes one attempt: waits for the token bucket of the target, signs the request and sends it. */

import type { Clock } from '#base/timing/clock'
import type { PendingDelivery, WebhookTarget } from '#events/webhooks/delivery'
import type { AttemptOutcome } from '#events/webhooks/record/save-attempts'
import { headersOf, type Send } from './send-request'
import { createTokenBuckets } from './token-bucket'

export interface SendingOptions {
  readonly send: Send
  readonly brand: string
  readonly docsUrl: string
  /** How many requests a target gets in a second; 0 for no limit. */
  readonly perSecond: number
}

/**
 * Resolves when the receiver has answered or the attempt has failed; never rejects. `present` returns the webhook as long as
 * it may get the delivery. Resolves to undefined when it may not any more when its turn comes.
 */
export type AttemptSender = (
  present: () => WebhookTarget | undefined,
  delivery: PendingDelivery,
) => Promise<AttemptOutcome | undefined>

export function createAttemptSender(options: SendingOptions, now: Clock): AttemptSender {
  const { send, brand, docsUrl, perSecond } = options
  const buckets = createTokenBuckets(perSecond)
  return async (present, delivery) => {
    const target = present()?.targetUrl
    const waitMs = target === undefined ? 0 : buckets.take(target)
    if (waitMs > 0) await Bun.sleep(waitMs)
    const webhook = present()
    if (webhook === undefined) return undefined
    const at = now()
    const { idempotencyKey, body, attempts } = delivery
    const signing = { brand, docsUrl, idempotencyKey, secrets: webhook.secrets }
    const headers = headersOf({ ...signing, attempt: attempts + 1, seconds: Math.floor(at / 1_000_000) }, body)
    const result = await send({ target: webhook.targetUrl, headers, body })
    return { webhook, delivery, at, requestHeaders: headers, result }
  }
}
