/** Sends a request unchanged to another address. */

import type { TestRequest } from '#api/resources/test-endpoints/schemas'

export interface ResendAnswer {
  readonly status: number
  readonly statusText: string
  /** The beginning of the body. */
  readonly body: string
  readonly ms: number
}

/** The reason, in words for a person. */
export interface NoAnswer {
  readonly problem: string
}

/** A receiver that is being debugged answers slowly. */
const TIMEOUT_MS = 60_000
const MAX_SHOWN = 300

/** Headers that describe one connection and not the request. */
const CONNECTION_HEADERS =
  /^(host|connection|content-length|transfer-encoding|keep-alive|te|trailer|upgrade|expect|proxy-.*)$/i

export async function resend(to: URL, request: TestRequest, signal: AbortSignal): Promise<ResendAnswer | NoAnswer> {
  const begun = performance.now()
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const answer = await fetch(addressOf(to, request.path), {
      method: request.method,
      headers: Object.entries(request.headers).filter(([name]) => !CONNECTION_HEADERS.test(name)),
      body: bodyOf(request),
      redirect: 'manual',
      signal: AbortSignal.any([timeout, signal]),
    })
    const body = await beginningOf(answer)
    const { status, statusText } = answer
    return { status, statusText, body, ms: Math.round(performance.now() - begun) }
  } catch (error) {
    if (timeout.aborted) return { problem: `there was no answer within ${TIMEOUT_MS / 1000} seconds` }
    return { problem: explain(error, to) }
  }
}

/** Reads only as much of the body as is shown. */
async function beginningOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    if (text.length >= MAX_SHOWN) break
  }
  return text.slice(0, MAX_SHOWN)
}

/** Appends the path below the URL of the endpoint, and the query, to the URL of the receiver. */
export function addressOf(to: URL, pathAndQuery: string): string {
  const at = pathAndQuery.indexOf('?')
  const path = at < 0 ? pathAndQuery : pathAndQuery.slice(0, at)
  const query = at < 0 ? '' : pathAndQuery.slice(at + 1)
  const url = new URL(to)
  if (path !== '/') url.pathname = url.pathname.replace(/\/$/, '') + path
  if (query !== '') url.search = url.search === '' ? query : `${url.search}&${query}`
  return url.href
}

function bodyOf({ method, body, body_base64 }: TestRequest): string | Uint8Array<ArrayBuffer> | null {
  if (method === 'GET' || method === 'HEAD') return null
  return body_base64 === null ? body : Uint8Array.fromBase64(body_base64)
}

const REFUSED_CONNECTION = new Set(['ConnectionRefused', 'ECONNREFUSED', 'FailedToOpenSocket'])

function explain(error: unknown, to: URL): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (REFUSED_CONNECTION.has(code)) return `nothing listens at ${to.host}`
  return error instanceof Error ? error.message : String(error)
}
