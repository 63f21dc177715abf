/**
 * One attempt: a request to an address that was just checked, and whatever came of it. Nothing is followed, decompressed
 * or waited for beyond the limits. See docs/reference/webhooks-and-events.md (Attempts, Targets); decision 0061.
 */

import type { Address } from './target'
import { TargetRefused, type TargetPolicy } from './target'

export interface Attempted {
  /** Undefined when no answer came. */
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>
  /** The beginning of the answer's body. */
  readonly body: string
  /** Why there was no answer, or none in time. */
  readonly problem: Problem | undefined
  /** Whole milliseconds. */
  readonly duration: number
  readonly address: string | undefined
}

export interface Problem {
  readonly code: 'refused_target' | 'unknown_host' | 'no_connection' | 'bad_certificate' | 'timed_out' | 'broken_off'
  /** For a person to read. */
  readonly message: string
}

export interface Outgoing {
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends a request; never rejects. */
export type Send = (request: Outgoing) => Promise<Attempted>

/** Of an answer that much is read; what is kept of it is less. */
const MOST_READ = 64 * 1024
const MOST_KEPT = 8 * 1024
/** As the runtime wants versions to be named. */
const TLS_1_2 = 0x0303

export function createSend(targets: TargetPolicy, timeoutMs: number): Send {
  return async ({ target, headers, body }) => {
    const begun = performance.now()
    const signal = AbortSignal.timeout(timeoutMs)
    const inside = targets.inside(target)
    const url = new URL(inside ?? target)
    let address: string | undefined
    let answer: Response | undefined
    const attempted = (part: Partial<Attempted>): Attempted => ({
      status: answer?.status,
      headers: answer === undefined ? {} : Object.fromEntries(answer.headers),
      body: '',
      problem: undefined,
      duration: Math.round(performance.now() - begun),
      address,
      ...part,
    })
    try {
      const located =
        inside === undefined ? await within(signal, targets.locate(url)) : { address: url.hostname, family: 4 }
      address = located.address
      answer = await fetch(addressed(url, located), options(url, { headers, body, signal }))
      return attempted({ body: await readSome(answer, signal) })
    } catch (error) {
      return attempted({ problem: problemOf(error, signal, timeoutMs) })
    }
  }
}

/** The same URL at the address that was checked, so that nobody looks the name up again. */
function addressed(url: URL, { address, family }: Address): string {
  const host = family === 6 ? `[${address}]` : address
  return `${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}${url.pathname}${url.search}`
}

const options = (
  url: URL,
  { headers, body, signal }: Pick<Outgoing, 'headers' | 'body'> & { signal: AbortSignal },
) => ({
  method: 'POST',
  headers: { ...headers, Host: url.host, Accept: '*/*', 'Accept-Encoding': 'identity' },
  body,
  signal,
  redirect: 'manual' as const,
  decompress: false,
  // The certificate must be the name's, not the address's.
  ...(url.protocol === 'https:' && {
    tls: { serverName: url.hostname.replace(/^\[|\]$/g, ''), minVersion: TLS_1_2 },
  }),
})

async function readSome(answer: Response, signal: AbortSignal): Promise<string> {
  const length = Number(answer.headers.get('content-length') ?? NaN)
  if (length <= MOST_READ) return keep(await within(signal, answer.bytes()))
  const reader = answer.body?.getReader()
  if (reader === undefined) return ''
  const parts: Uint8Array[] = []
  let size = 0
  while (size < MOST_READ) {
    const { done, value } = await within(signal, reader.read())
    if (done) break
    parts.push(value)
    size += value.length
  }
  // Whatever else it would say is not wanted.
  void reader.cancel().catch(() => undefined)
  return keep(Buffer.concat(parts))
}

/** Text that any database can hold. */
const keep = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes.subarray(0, MOST_KEPT)).replaceAll('\u0000', '\uFFFD')

/** `promise`, unless time is up first. */
function within<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const giveUp = () => late.reject(signal.reason)
  signal.addEventListener('abort', giveUp, { once: true })
  return Promise.race([promise, late.promise]).finally(() => signal.removeEventListener('abort', giveUp))
}

const NO_HOST = new Set(['ENOTFOUND', 'EAI_AGAIN', 'DNS_ENOTFOUND', 'ENODATA'])
const NO_CONNECTION = new Set([
  'ConnectionRefused',
  'ECONNREFUSED',
  'FailedToOpenSocket',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

function problemOf(error: unknown, signal: AbortSignal, timeoutMs: number): Problem {
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
