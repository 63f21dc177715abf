/**
 * Sends one request to an address that was just checked. It follows no redirect, decompresses nothing, and reads the
 * response within limits of time and size. See docs/reference/webhooks-and-events.md (Attempts, Targets); docs/decisions/webhook-delivery.md.
 */

import { untilAborted } from '#base/timing/wait'
import { type Address, type TargetPolicy, TargetRefused } from './target'

export interface AttemptResult {
  /** Undefined without a response. */
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>
  /** The beginning of the response's body. */
  readonly body: string
  /** Why there is no complete response. */
  readonly problem: Problem | undefined
  /** Whole milliseconds. */
  readonly duration: number
  readonly address: string | undefined
}

interface Problem {
  readonly code: 'refused_target' | 'unknown_host' | 'no_connection' | 'bad_certificate' | 'timed_out' | 'broken_off'
  /** A sentence for people. */
  readonly message: string
}

export interface OutgoingRequest {
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends a request; never rejects. */
export type Send = (request: OutgoingRequest) => Promise<AttemptResult>

const MAX_BYTES_READ = 64 * 1024
const MAX_BYTES_STORED = 8 * 1024

export function createSend(targets: TargetPolicy, timeoutMs: number): Send {
  return async ({ target, headers, body }) => {
    const startedAt = performance.now()
    const signal = AbortSignal.timeout(timeoutMs)
    const localAddress = targets.localAddressOf(target)
    const url = new URL(localAddress ?? target)
    let address: string | undefined
    let response: Response | undefined
    const result = (part: Partial<AttemptResult>): AttemptResult => ({
      status: response?.status,
      headers: response === undefined ? {} : Object.fromEntries(response.headers),
      body: '',
      problem: undefined,
      duration: Math.round(performance.now() - startedAt),
      address,
      ...part,
    })
    try {
      const located =
        localAddress === undefined
          ? await untilAborted(signal, targets.locate(url))
          : { address: url.hostname, family: 4 }
      address = located.address
      response = await fetchAtAddress(url, located, { method: 'POST', headers, body, signal })
      return result({ body: await readBody(response, signal) })
    } catch (error) {
      return result({ problem: problemOf(error, signal, timeoutMs) })
    }
  }
}

const readBody = async (response: Response, signal: AbortSignal): Promise<string> =>
  storableText(await readBeginning(response, MAX_BYTES_READ, signal))

/** The whole body of a response, or at least its first `limit` bytes. */
export async function readBeginning(response: Response, limit: number, signal: AbortSignal): Promise<Uint8Array> {
  const length = Number(response.headers.get('content-length') ?? NaN)
  if (length <= limit) return untilAborted(signal, response.bytes())
  const reader = response.body?.getReader()
  if (reader === undefined) return new Uint8Array()
  const parts: Uint8Array[] = []
  let size = 0
  while (size < limit) {
    const { done, value } = await untilAborted(signal, reader.read())
    if (done) break
    parts.push(value)
    size += value.length
  }
  // The rest of the body is not read.
  void reader.cancel().catch(() => undefined)
  return Buffer.concat(parts)
}

/** Decodes the beginning of a body to text without NUL, which PostgreSQL does not store. */
const storableText = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes.subarray(0, MAX_BYTES_STORED)).replaceAll('\u0000', '\uFFFD')

const NO_HOST = new Set(['ENOTFOUND', 'EAI_AGAIN', 'DNS_ENOTFOUND', 'ENODATA'])
const NO_CONNECTION = new Set([
  'ConnectionRefused',
  'ECONNREFUSED',
  'FailedToOpenSocket',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** Why a request has no complete answer. */
export function problemOf(error: unknown, signal: AbortSignal, timeoutMs: number): Problem {
  if (signal.aborted)
    return { code: 'timed_out', message: `The receiver did not finish its answer within ${timeoutMs / 1000} seconds.` }
  if (error instanceof TargetRefused) return { code: 'refused_target', message: error.message }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (NO_HOST.has(code)) return { code: 'unknown_host', message: 'The host name of the target could not be resolved.' }
  if (NO_CONNECTION.has(code)) return { code: 'no_connection', message: 'Nothing accepts connections at the target.' }
  if (/CERT|SELF_SIGNED|TLS|SSL/i.test(code))
    return { code: 'bad_certificate', message: `The certificate of the target was not accepted (${code}).` }
  return { code: 'broken_off', message: 'The connection ended before there was an answer.' }
}

/**
 * The headers of a delivery request, with its signatures. See docs/reference/webhooks-and-events.md (The delivery request).
 */

export interface Secrets {
  readonly current: string
  /** The secret before the last rotation, while it is valid. */
  readonly previous?: string
}

interface Signing {
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

// Sends a request to an address that was just checked. It follows no redirect and decompresses nothing.
// See docs/reference/webhooks-and-events.md (Targets).

/** The runtime's name of the version. */
const TLS_1_2 = 0x0303

interface AddressedRequest {
  readonly method: 'POST' | 'HEAD' | 'GET' | 'PROPFIND' | 'REPORT'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
  /** Certificates of authorities that are trusted instead of the usual ones. */
  readonly ca?: string
}

export const fetchAtAddress = (url: URL, address: Address, request: AddressedRequest): Promise<Response> =>
  fetch(withAddress(url, address), optionsOf(url, request))

const optionsOf = (url: URL, { method, headers, body, signal, ca }: AddressedRequest) => ({
  method,
  headers: { ...headers, Host: url.host, Accept: '*/*', 'Accept-Encoding': 'identity' },
  ...(body !== undefined && { body }),
  signal,
  redirect: 'manual' as const,
  decompress: false,
  // The certificate must be valid for the name, not for the address.
  ...(url.protocol === 'https:' && {
    tls: { serverName: url.hostname.replace(/^\[|\]$/g, ''), minVersion: TLS_1_2, ...(ca !== undefined && { ca }) },
  }),
})

/** Puts the checked address into the URL, so that `fetch` does not resolve the name again. */
function withAddress(url: URL, { address, family }: Address): string {
  const host = family === 6 ? `[${address}]` : address
  return `${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}${url.pathname}${url.search}`
}
