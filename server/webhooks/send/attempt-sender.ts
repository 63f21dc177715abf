/** Makes one attempt: waits for the token bucket of the target, signs the request and sends it. */

import type { Clock } from '../../timing/clock'
import type { PendingDelivery, WebhookTarget } from '../delivery'
import type { AttemptOutcome } from '../record/save-attempts'
import type { Send } from './send-request'
import { headersOf } from './sign'
import { createTokenBuckets } from './token-bucket'

export interface SendingOptions {
  readonly send: Send
  readonly brand: string
  readonly docsUrl: string
  /** How many requests a target gets in a second; 0 for no limit. */
  readonly perSecond: number
}

/** Resolves when the receiver has answered or the attempt has failed; never rejects. */
export type AttemptSender = (webhook: WebhookTarget, delivery: PendingDelivery) => Promise<AttemptOutcome>

export function createAttemptSender(options: SendingOptions, now: Clock): AttemptSender {
  const { send, brand, docsUrl, perSecond } = options
  const buckets = createTokenBuckets(perSecond)
  return async (webhook, delivery) => {
    const waitMs = buckets.take(webhook.targetUrl)
    if (waitMs > 0) await Bun.sleep(waitMs)
    const at = now()
    const { idempotencyKey, body, attempts } = delivery
    const signing = { brand, docsUrl, idempotencyKey, secrets: webhook.secrets }
    const headers = headersOf({ ...signing, attempt: attempts + 1, seconds: Math.floor(at / 1_000_000) }, body)
    const result = await send({ target: webhook.targetUrl, headers, body })
    return { webhook, delivery, at, requestHeaders: headers, result }
  }
}
