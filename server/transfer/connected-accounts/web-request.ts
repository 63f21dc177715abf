/**
 * Requests of connected accounts over HTTP, under the address rules of webhook targets. Redirects are followed under the same rules. A sign-in is
 * sent to the domain of the account only.
 */

import { getDomain } from 'tldts'
import { untilAborted } from '#base/timing/wait'
import { fetchAtAddress, problemOf } from '#events/webhooks/send/send-request'
import { type TargetPolicy, TargetRefused } from '#events/webhooks/send/target'
import { AccountProblem, type AccountProblemCode } from './account-problem'

export interface AccountRequest {
  readonly method: 'GET' | 'PROPFIND' | 'REPORT'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The value of `Authorization`, and the address that it is for. */
  readonly signIn?: { readonly authorization: string; readonly at: string }
  readonly signal: AbortSignal
  readonly maxBytes: number
}

export interface AccountResponse {
  readonly status: number
  readonly headers: Headers
  /** After redirects. */
  readonly url: string
  /** Throws `AccountProblem` when the body breaks off or is too large. */
  readonly body: AsyncIterable<Uint8Array>
}

/** Throws `AccountProblem` without an answer, and for one that says that the account cannot be read. */
export type AccountFetch = (request: AccountRequest) => Promise<AccountResponse>

const TIMEOUT_MS = 120_000
const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 307, 308])

export function createAccountFetch(targets: TargetPolicy, ca?: string): AccountFetch {
  return async (request) => {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)])
    const explain = (error: unknown) => explained(error, request.signal, signal)
    const { url: target } = request
    let url = new URL(target)
    try {
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        const refusal = await untilAborted(signal, targets.refusal(url.href))
        if (refusal !== undefined) throw new TargetRefused(refusal)
        const address = await untilAborted(signal, targets.locate(url))
        const { method, body } = request
        const options = { method, headers: headersFor(request, url), signal }
        const response = await fetchAtAddress(url, address, {
          ...options,
          ...(body === undefined ? {} : { body }),
          ...(ca === undefined ? {} : { ca }),
        })
        const location = response.headers.get('location')
        const next = location === null ? null : URL.parse(location, url)
        if (!REDIRECTS.has(response.status) || next === null) return answerOf(response, url, request.maxBytes, explain)
        void response.body?.cancel().catch(() => undefined)
        url = next
      }
    } catch (error) {
      throw explain(error)
    }
    throw new AccountProblem('unexpected_answer', 'It redirects too often.')
  }
}

function headersFor({ headers, signIn }: AccountRequest, url: URL): Readonly<Record<string, string>> {
  const isFor = signIn !== undefined && mayReceiveSignIn(url, new URL(signIn.at))
  return { 'User-Agent': 'Relata', ...headers, ...(isFor ? { Authorization: signIn.authorization } : {}) }
}

/** Below a domain such as `duckdns.org`, each host has another owner. */
const OWNERS = { allowPrivateDomains: true }

/** The same origin, or another host of the same domain over TLS: large providers have a host for each part of their users. */
export function mayReceiveSignIn(url: URL, at: URL): boolean {
  if (url.origin === at.origin) return true
  const [domain, other] = [at, url].map(({ hostname }) => getDomain(hostname, OWNERS))
  return url.protocol === 'https:' && at.protocol === 'https:' && domain != null && domain === other
}

function answerOf(response: Response, url: URL, maxBytes: number, explain: (error: unknown) => Error): AccountResponse {
  const { status, headers } = response
  const code = problemOfStatus(status)
  if (code !== undefined) {
    void response.body?.cancel().catch(() => undefined)
    throw new AccountProblem(code, `${status} ${response.statusText}`.trim())
  }
  return { status, headers, url: url.href, body: chunksOf(response, maxBytes, explain) }
}

function problemOfStatus(status: number): AccountProblemCode | undefined {
  if (status === 401) return 'sign_in_refused'
  // A server without a report answers 501.
  if (status === 429 || (status >= 500 && status !== 501)) return 'server_busy'
  return undefined
}

async function* chunksOf(
  response: Response,
  maxBytes: number,
  explain: (error: unknown) => Error,
): AsyncGenerator<Uint8Array> {
  let size = 0
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      if (size > maxBytes) throw new AccountProblem('too_large', `More than ${Math.floor(maxBytes / 1_000_000)} MB.`)
      yield chunk
    }
  } catch (error) {
    throw explain(error)
  }
}

const CODES = {
  refused_target: 'refused_address',
  unknown_host: 'unknown_host',
  no_connection: 'no_connection',
  bad_certificate: 'bad_certificate',
  timed_out: 'timed_out',
  broken_off: 'connection_lost',
} as const

/** The reason of the caller's signal stays as it is. */
function explained(error: unknown, given: AbortSignal, signal: AbortSignal): Error {
  if (error instanceof AccountProblem) return error
  if (given.aborted) return given.reason instanceof Error ? given.reason : new Error('The request was aborted.')
  const { code } = problemOf(error, signal, TIMEOUT_MS)
  const answer = error instanceof TargetRefused ? error.message : null
  return new AccountProblem(CODES[code], answer, { cause: error })
}

export const basicAuthorization = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/** The text of a body in UTF-8. */
export async function readResponseText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of body) parts.push(part)
  return new TextDecoder().decode(Buffer.concat(parts))
}
