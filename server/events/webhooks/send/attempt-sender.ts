/** Makes one attempt: waits for the token bucket of the target, signs the request and sends it. */

import type { SecretCipher } from '#db/connect'
import { createLru } from '#base/caching/caching'
import { logError } from '#base/logging/log-error'
import { spanTime, type Tracer } from '#base/monitoring/tracer'
import { newSpanId, parseTraceparent, renderTraceparent } from '#base/monitoring/trace-context'
import type { Clock } from '#base/timing/clock'
import { createWorkerStatistics, type WorkerStatistics } from '#base/timing/worker-statistics'
import { type PendingDelivery, webhookRow, type WebhookTarget } from '#events/webhooks/delivery'
import { type AttemptOutcome, hasSucceeded } from '#events/webhooks/record/attempt-recorder'
import { headersOf, type Secrets, type Send, type AttemptResult } from './send-request'

export interface SendingOptions {
  readonly send: Send
  readonly brand: string
  readonly docsUrl: string
  /** How many requests a target gets in a second; 0 for no limit. */
  readonly perSecond: number
  /** Counts attempts as runs. */
  readonly statistics?: WorkerStatistics
  readonly tracer?: Tracer | undefined
}

/**
 * Resolves when the receiver has answered or the attempt has failed; never rejects. `present` returns the webhook as long as
 * it may get the delivery. Resolves to undefined when it may not any more when its turn comes.
 */
export type AttemptSender = (
  present: () => WebhookTarget | undefined,
  delivery: PendingDelivery,
) => Promise<AttemptOutcome | undefined>

export function createAttemptSender(options: SendingOptions, cipher: SecretCipher, now: Clock): AttemptSender {
  const { send, brand, docsUrl, perSecond, statistics = createWorkerStatistics(), tracer } = options
  const buckets = createTokenBuckets(perSecond)
  const decrypt = createSecretReader(cipher)
  return async (present, delivery) => {
    const target = present()?.targetUrl
    const waitMs = target === undefined ? 0 : buckets.take(target)
    if (waitMs > 0) await Bun.sleep(waitMs)
    const webhook = present()
    if (webhook === undefined) return undefined
    const at = now()
    const { idempotencyKey, body, attempts } = delivery
    const secrets = decrypt(webhook)
    if (secrets === undefined) return { webhook, delivery, at, requestHeaders: {}, result: WITHOUT_SECRET }
    const signing = { brand, docsUrl, idempotencyKey, secrets }
    const headers = headersOf({ ...signing, attempt: attempts + 1, seconds: Math.floor(at / 1_000_000) }, body)
    const span = beginAttemptSpan(tracer, delivery)
    if (span.traceparent !== undefined) headers.traceparent = span.traceparent
    const result = await statistics.run(() => send({ target: webhook.targetUrl, headers, body }))
    span.end(webhook, result)
    if (!hasSucceeded(result)) statistics.countFailure()
    return { webhook, delivery, at, requestHeaders: headers, result }
  }
}

/** The span of an attempt, whose parent published the event. Without a tracer, the receiver gets that of the parent. */
function beginAttemptSpan(tracer: Tracer | undefined, { id, attempts, traceparent }: PendingDelivery) {
  if (tracer === undefined || traceparent === null) return { traceparent: traceparent ?? undefined, end() {} }
  const parent = parseTraceparent(traceparent)
  if (parent === undefined) return { traceparent: undefined, end() {} }
  const startedAt = spanTime()
  const context = { ...parent, spanId: newSpanId() }
  return {
    traceparent: renderTraceparent(context),
    end({ webhookId }: WebhookTarget, result: AttemptResult) {
      tracer.record({
        context,
        parentSpanId: parent.spanId,
        name: 'delivery',
        kind: 'client',
        startedAt,
        endedAt: spanTime(),
        attributes: {
          'http.request.method': 'POST',
          'http.response.status_code': result.status,
          'error.type': result.problem?.code,
          'relata.webhook_id': webhookId,
          'relata.delivery_id': id,
          'relata.attempt': attempts + 1,
        },
        isError: !hasSucceeded(result),
      })
    },
  }
}

/** The attempt fails as if the connection had: it is made again, and the webhook becomes degraded. */
const WITHOUT_SECRET: AttemptResult = {
  status: undefined,
  headers: {},
  body: '',
  problem: { code: 'broken_off', message: 'The service could not read the secret of the webhook, so it sent nothing.' },
  duration: 0,
  address: undefined,
}

const MAX_CACHED = 1000

/** Decrypts the secrets of webhooks, and keeps those of the latest ones. Logs the error of a secret that cannot be read. */
function createSecretReader(cipher: SecretCipher): (webhook: WebhookTarget) => Secrets | undefined {
  const cache = createLru<string, string>(MAX_CACHED)
  const read = ({ workspaceId, webhookId }: WebhookTarget, stored: string): string => {
    const cached = cache.get(stored)
    if (cached !== undefined) return cached
    const secret = cipher.decrypt(webhookRow(workspaceId, webhookId), stored)
    cache.set(stored, secret)
    return secret
  }
  return (webhook) => {
    const { current, previous } = webhook.storedSecrets
    try {
      return {
        current: read(webhook, current),
        ...(previous !== undefined && { previous: read(webhook, previous) }),
      }
    } catch (error) {
      logError(`The secret of the webhook ${webhook.webhookId} cannot be read.`, error)
      return undefined
    }
  }
}

// Limits the requests per second to one target. Further requests wait. See docs/reference/webhooks-and-events.md (Attempts).

interface TokenBuckets {
  /** Counts a request to `target`, and returns the milliseconds to wait before it. */
  take(target: string): number
}

interface Bucket {
  tokens: number
  at: number
}

/** An empty bucket is full after a second, and a process sends to fewer targets in a second. */
const MAX_BUCKETS = 10_000

/** A `perSecond` of 0 means no limit. `elapsed` is a clock in milliseconds. */
export function createTokenBuckets(
  perSecond: number,
  elapsed: () => number = () => performance.now(),
  maxBuckets = MAX_BUCKETS,
): TokenBuckets {
  const buckets = createLru<string, Bucket>(maxBuckets)

  return {
    take(target) {
      if (perSecond === 0) return 0
      const at = elapsed()
      const bucket = buckets.get(target) ?? { tokens: perSecond, at }
      bucket.tokens = Math.min(perSecond, bucket.tokens + ((at - bucket.at) * perSecond) / 1000) - 1
      bucket.at = at
      buckets.set(target, bucket)
      return bucket.tokens >= 0 ? 0 : (-bucket.tokens * 1000) / perSecond
    },
  }
}
