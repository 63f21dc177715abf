/**
 * Decides which response headers a test endpoint may set. Test endpoints share the origin of the console, so they may set
 * only headers that senders of webhooks read, and none that a browser or a proxy acts on.
 */

import { invalidBody } from '#base/errors/http'

const READ_BY_SENDERS =
  /^(content-type|content-language|etag|last-modified|retry-after|x-request-id|x-correlation-id|(x-)?ratelimit(-[a-z0-9-]+)?|x-test-[a-z0-9-]+)$/i

/** Leaves out scripts and style sheets, which the console's pages would load from their own origin. */
const DOCUMENTS =
  /^(text\/(plain|html|xml)|application\/(json|problem\+json|xml|octet-stream|x-www-form-urlencoded))( *;.*)?$/i

export const isAnswerHeader = (name: string, value: string): boolean =>
  READ_BY_SENDERS.test(name) && (name.toLowerCase() !== 'content-type' || DOCUMENTS.test(value))

/** Throws 400 for headers that the endpoint would not send. */
export function refuseHeaders(headers: Readonly<Record<string, string>> = {}): void {
  const refused = Object.entries(headers).filter(([name, value]) => !isAnswerHeader(name, value))
  if (refused.length === 0) return
  throw invalidBody(refused.map(([name]) => ({ code: 'invalid', path: ['data', 'headers'], message: messageOf(name) })))
}

const messageOf = (name: string): string =>
  name.toLowerCase() === 'content-type'
    ? 'The Content-Type of a test endpoint is text, HTML, XML, JSON, a form or application/octet-stream'
    : `A test endpoint may not set ${name}: only Content-Type, Content-Language, ETag, Last-Modified, Retry-After, RateLimit-…, X-RateLimit-…, X-Request-Id, X-Correlation-Id and X-Test-…`
