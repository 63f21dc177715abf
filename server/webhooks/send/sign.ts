/**
 * What a receiver sees of a delivery, to the byte. See docs/reference/webhooks-and-events.md (The delivery request).
 */

import { createHmac } from 'node:crypto'

export interface Secrets {
  readonly current: string
  /** Still valid for a while after a rotation. */
  readonly previous?: string
}

export interface Signing {
  readonly brand: string
  /** Where people read about the service. */
  readonly docsUrl: string
  readonly secrets: Secrets
  readonly idempotencyKey: string
  /** 1 for the first. */
  readonly attempt: number
  /** When the attempt is made, in seconds since 1970. */
  readonly seconds: number
}

/** The secret's characters are the key, as they are. */
const hmac = (secret: string, message: string): string => createHmac('sha256', secret).update(message).digest('hex')

/**
 * `<Brand>-Signature` covers the body alone, as receivers have always checked it; the second form covers the time too, and
 * has one part for each secret that is valid.
 */
export function headersOf(signing: Signing, body: string): Record<string, string> {
  const { brand, docsUrl, secrets, idempotencyKey, attempt, seconds } = signing
  const name = brand.charAt(0).toUpperCase() + brand.slice(1)
  const signature = hmac(secrets.current, body)
  const valid = [secrets.current, ...(secrets.previous === undefined ? [] : [secrets.previous])]
  const timed = valid.map((secret) => `v1=${hmac(secret, `${seconds}.${body}`)}`)
  return {
    'Content-Type': 'application/json',
    'User-Agent': `${name} 2.0 (${docsUrl})`,
    [`${name}-Signature`]: signature,
    [`X-${name}-Signature`]: signature,
    'Idempotency-Key': idempotencyKey,
    [`X-${name}-Delivery-Attempt`]: String(attempt),
    [`X-${name}-Event-Timestamp`]: String(seconds),
    [`X-${name}-Signature-V2`]: [`t=${seconds}`, ...timed].join(','),
  }
}
