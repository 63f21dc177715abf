/**
 * The headers of a delivery request, with its signatures. See docs/reference/webhooks-and-events.md (The delivery request).
 */

export interface Secrets {
  readonly current: string
  /** The secret before the last rotation, while it is valid. */
  readonly previous?: string
}

export interface Signing {
  readonly brand: string
  /** The address of the service's documentation. */
  readonly docsUrl: string
  readonly secrets: Secrets
  readonly idempotencyKey: string
  /** 1 for the first. */
  readonly attempt: number
  /** The time of the attempt, in seconds since 1970. */
  readonly seconds: number
}

/** The key is the text of the secret, not the bytes that its digits stand for. */
const hmac = (secret: string, message: string): string =>
  new Bun.CryptoHasher('sha256', secret).update(message).digest('hex')

/**
 * `<Brand>-Signature` covers the body. `X-<Brand>-Signature-V2` covers the time and the body, and has one part for each
 * valid secret.
 */
export function headersOf(signing: Signing, body: string): Record<string, string> {
  const { brand, docsUrl, secrets, idempotencyKey, attempt, seconds } = signing
  const name = brand.charAt(0).toUpperCase() + brand.slice(1)
  const signature = hmac(secrets.current, body)
  const valid = [secrets.current, ...(secrets.previous === undefined ? [] : [secrets.previous])]
  const signatures = valid.map((secret) => `v1=${hmac(secret, `${seconds}.${body}`)}`)
  return {
    'Content-Type': 'application/json',
    'User-Agent': `${name} 2.0 (${docsUrl})`,
    [`${name}-Signature`]: signature,
    [`X-${name}-Signature`]: signature,
    'Idempotency-Key': idempotencyKey,
    [`X-${name}-Delivery-Attempt`]: String(attempt),
    [`X-${name}-Event-Timestamp`]: String(seconds),
    [`X-${name}-Signature-V2`]: [`t=${seconds}`, ...signatures].join(','),
  }
}
