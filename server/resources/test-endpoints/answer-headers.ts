/**
 * Which headers a test endpoint may answer with. It answers on the address of the console, so it may set none that a
 * browser or a proxy in front acts on: only those that a sender of webhooks may want to read.
 */

import { invalidBody } from '../../errors/http'

const READ_BY_SENDERS =
  /^(content-type|content-language|etag|last-modified|retry-after|x-request-id|x-correlation-id|(x-)?ratelimit(-[a-z0-9-]+)?|x-test-[a-z0-9-]+)$/i

/** No script and no style sheet, which pages of the console would take from their own address. */
const DOCUMENTS =
  /^(text\/(plain|html|xml)|application\/(json|problem\+json|xml|octet-stream|x-www-form-urlencoded))( *;.*)?$/i

export const isAnswerHeader = (name: string, value: string): boolean =>
  READ_BY_SENDERS.test(name) && (name.toLowerCase() !== 'content-type' || DOCUMENTS.test(value))

/** Throws 400 for headers that would not be sent. */
export function refuseHeaders(headers: Readonly<Record<string, string>> = {}): void {
  const refused = Object.entries(headers).filter(([name, value]) => !isAnswerHeader(name, value))
  if (refused.length === 0) return
  throw invalidBody(refused.map(([name]) => ({ code: 'invalid', path: ['data', 'headers'], message: messageOf(name) })))
}

const messageOf = (name: string): string =>
  name.toLowerCase() === 'content-type'
    ? 'The Content-Type of a test endpoint is text, HTML, XML, JSON, a form or application/octet-stream'
    : `A test endpoint may not set ${name}: only Content-Type, Content-Language, ETag, Last-Modified, Retry-After, RateLimit-…, X-RateLimit-…, X-Request-Id, X-Correlation-Id and X-Test-…`
