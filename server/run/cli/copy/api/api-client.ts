/** Calls one service over HTTP with an API key. Repeats requests that may succeed later, and refuses answers that are too large. */

import { setTimeout as pauseFor } from 'node:timers/promises'
import { CommandError } from '#run/cli/command'

export type Json = Record<string, unknown>

export interface ApiClient {
  /** The address of the service. */
  readonly url: string
  /** Returns the parsed answer. Throws `RefusalError` for a 4xx answer, and `CommandError` when no retry helps. */
  request(method: string, path: string, body?: Json, idempotencyKey?: string): Promise<unknown>
}

export interface ClientOptions {
  readonly url: string
  readonly key: string
  readonly signal: AbortSignal
  /** Replaced in tests. */
  readonly pause?: (ms: number) => Promise<void>
}

/** The service refused the request; the same request will be refused again. */
export class RefusalError extends CommandError {
  constructor(
    readonly status: number,
    readonly body: Json,
  ) {
    super(typeof body.message === 'string' ? printable(body.message) : `The service answers ${status}.`)
  }
}

/** The answer is longer than the client reads. A smaller page may be short enough. */
export class TooLargeError extends CommandError {}

const LONGEST_MESSAGE = 500

/** Removes control characters, which a terminal would interpret. */
const printable = (text: string): string => text.slice(0, LONGEST_MESSAGE).replaceAll(/\p{Cc}+/gu, ' ')

const LARGEST_ANSWER = 64_000_000
const TIMEOUT_MS = 60_000
const TRIES = 10
const RETRIED_STATUSES: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

interface Failure {
  readonly reason: string
  readonly retryAfter: string | null
}

export function createApiClient(options: ClientOptions): ApiClient {
  const { url, signal } = options
  const pause = options.pause ?? ((ms: number) => pauseFor(ms, undefined, { signal }))
  return {
    url,
    async request(method, path, body, idempotencyKey) {
      let failure: Failure = { reason: '', retryAfter: null }
      for (let retry = 0; retry < TRIES; retry++) {
        if (retry > 0) await pause(retryDelay(retry - 1, failure.retryAfter, Date.now()))
        signal.throwIfAborted()
        const outcome = await send(options, `${url}${path}`, requestInit(options.key, method, body, idempotencyKey))
        if ('answer' in outcome) return outcome.answer
        failure = outcome
      }
      throw new CommandError(`${method} ${url}${path} failed ${TRIES} times: ${failure.reason}`)
    },
  }
}

const requestInit = (key: string, method: string, body?: Json, idempotencyKey?: string): RequestInit => ({
  method,
  // A redirect could send the key to another host.
  redirect: 'error',
  headers: {
    Authorization: `Bearer ${key}`,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  },
  ...(body !== undefined && { body: JSON.stringify(body) }),
})

async function send(
  { signal, url }: ClientOptions,
  address: string,
  init: RequestInit,
): Promise<Failure | { readonly answer: unknown }> {
  let retryAfter: string | null = null
  try {
    const response = await fetch(address, {
      ...init,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    retryAfter = response.headers.get('retry-after')
    const text = await readLimited(response, LARGEST_ANSWER)
    if (text === undefined) throw new TooLargeError(`An answer of ${url} is larger than ${LARGEST_ANSWER} bytes.`)
    if (RETRIED_STATUSES.has(response.status)) return { reason: `the service answers ${response.status}.`, retryAfter }
    if (!response.ok) throw refusalOf(url, response.status, parseRefusal(text))
    return { answer: JSON.parse(text) as unknown }
  } catch (error) {
    if (signal.aborted || error instanceof CommandError) throw error
    // A broken connection, or an answer that ends too early and is therefore no JSON.
    return { reason: error instanceof Error ? error.message : String(error), retryAfter }
  }
}

function refusalOf(url: string, status: number, body: Json): CommandError {
  const refusal = new RefusalError(status, body)
  // Every further request with this key would be refused, too.
  return status === 401
    ? new CommandError(`The service at ${url} does not accept this key: ${refusal.message}`)
    : refusal
}

function parseRefusal(text: string): Json {
  try {
    const body: unknown = JSON.parse(text)
    if (isJsonObject(body)) return body
  } catch {
    // A proxy may answer with a page instead of an error body.
  }
  return {}
}

export const isJsonObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The text of an answer, or undefined when it has more bytes than the limit. Stops to read at the limit. */
async function readLimited(response: Response, limit: number): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > limit) return undefined
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** How long a client pauses before it sends a request again. */

const FIRST_MS = 500
const LONGEST_BACK_OFF_MS = 30_000
/** A service that asks for a longer pause gets this one. */
const LONGEST_REQUESTED_MS = 300_000
const LONGEST_HEADER = 100

/** `retry` counts from 0. `retryAfter` is the header, a number of seconds or an HTTP date. */
export function retryDelay(retry: number, retryAfter: string | null, now: number): number {
  const backOff = Math.min(FIRST_MS * 2 ** retry, LONGEST_BACK_OFF_MS)
  const requested = Math.min(readRetryAfter(retryAfter, now) ?? 0, LONGEST_REQUESTED_MS)
  // A date of whole seconds, or of a clock that is slow, can be in the past.
  return Math.max(requested, backOff)
}

function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null || header.length > LONGEST_HEADER) return undefined
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const time = Date.parse(header)
  return Number.isNaN(time) ? undefined : Math.max(time - now, 0)
}
