/** Receives a request at a test endpoint: checks its signature, stores it, and sends the configured response. */

import { isSameSecret, limitUnknownSecrets } from '#access/secrets'
import { createHmac } from 'node:crypto'
import { newId } from '#base/ids'
import { urlOf } from '#api/http/request/request-url'
import type { AppContext } from '#context'
import { timestampFromMicros } from '#base/timing/clock'
import type { TestRequest } from './schemas'
import { countTestRequest, type EndpointRow, findSecrets, hasList, insertRequest, type RequestSubject } from './store'
import type { Database } from '#db/connect'
import { type ChangeEventBody, isEventType } from '#vocabulary/event-types'
import { listIdOf } from '#events/feed/visibility'
import { invalidBody } from '#base/errors/http'

const MAX_BODY_BYTES = 256 * 1024

/** Test endpoints share the origin of the console, so a browser must not run scripts of their responses. */
const SANDBOX_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
}

/** Returns a function that receives a request at the endpoint with a token. `rest` is the path below the endpoint. */
export function createReceiver(appContext: AppContext) {
  const { db, now } = appContext
  const countRequest = limitUnknownSecrets((token) => countTestRequest(db, token, now()))
  return async (request: Request, token: string, rest: string): Promise<Response> => {
    const bytes = await readBody(request)
    if (bytes === undefined) return new Response('Too large', { status: 413, headers: SANDBOX_HEADERS })
    const endpoint = await countRequest(token)
    if (endpoint !== undefined) return storeAndRespond(appContext, endpoint, { request, bytes, rest })
    return new Response('There is no such test endpoint, or it has expired.', { status: 404, headers: SANDBOX_HEADERS })
  }
}

interface Received {
  readonly request: Request
  readonly bytes: Uint8Array
  readonly rest: string
}

async function storeAndRespond(
  appContext: AppContext,
  endpoint: EndpointRow,
  { request, bytes, rest }: Received,
): Promise<Response> {
  const { db, now } = appContext
  const body = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).replaceAll('\u0000', '\uFFFD')
  const isText = Buffer.from(body).equals(bytes)
  const fails = endpoint.received <= endpoint.fail_first
  const checked = await checkSignature(appContext, endpoint, request.headers, bytes)
  const answered_status = fails ? 500 : endpoint.status
  const received = {
    test_request_id: newId(),
    at: timestampFromMicros(now()),
    method: request.method,
    path: `${rest}${urlOf(request).search}`.replaceAll('%00', ''),
    headers: Object.fromEntries(request.headers),
    body,
    body_base64: isText ? null : bytes.toBase64(),
    ...checked,
    answered_status,
  }
  await insertRequest(db, endpoint, received, await subjectOfRequest(db, endpoint, body, checked.signature))
  if (endpoint.delay_ms > 0) await Bun.sleep(endpoint.delay_ms)
  return respond(endpoint, answered_status)
}

function respond(endpoint: EndpointRow, status: number): Response {
  const headers = Object.entries(endpoint.headers).filter(([name, value]) => isAnswerHeader(name, value))
  const isEmpty = status === 204 || status === 205 || status === 304
  return new Response(isEmpty ? null : endpoint.body, {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', ...Object.fromEntries(headers), ...SANDBOX_HEADERS },
  })
}

/** Checks whether the webhook that the body names signed the request. */
async function checkSignature(
  { db, now, settings }: AppContext,
  endpoint: EndpointRow,
  headers: Headers,
  bytes: Uint8Array,
): Promise<Pick<TestRequest, 'webhook_id' | 'signature'>> {
  const given = headers.get(`${settings.brand}-signature`)
  const webhook_id = webhookIdIn(bytes)
  if (given === null) return { webhook_id, signature: 'absent' }
  const secrets = webhook_id === null ? [] : await findSecrets(db, endpoint.workspace_id, webhook_id, now())
  const isValid = secrets.some((secret) =>
    isSameSecret(given, createHmac('sha256', secret).update(bytes).digest('hex')),
  )
  return { webhook_id, signature: isValid ? 'valid' : 'invalid' }
}

const UUID = /"webhook_id"\s*:\s*"([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})"/i

const webhookIdIn = (bytes: Uint8Array): string | null =>
  UUID.exec(new TextDecoder().decode(bytes.subarray(0, 200)))?.[1] ?? null

async function readBody(request: Request): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES) return undefined
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of request.body ?? []) {
    size += part.length
    if (size > MAX_BODY_BYTES) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** Finds the change event in a request. The event decides who may read the request. See docs/decisions/event-access.md. */
const NO_EVENT: RequestSubject = { event_type: null, list_id: null }

/**
 * The sender of an unsigned request is unknown, so its event counts only when it names a list of the workspace. The webhook
 * of such a request may have been deleted after the request was sent.
 */
async function subjectOfRequest(
  db: Database,
  { workspace_id }: EndpointRow,
  text: string,
  signature: TestRequest['signature'],
): Promise<RequestSubject> {
  const event = eventIn(text)
  if (event === undefined) return NO_EVENT
  const list_id = listIdOf(event)
  if (signature === 'valid') return { event_type: event.event_type, list_id }
  const isListOfWorkspace = list_id !== null && (await hasList(db, workspace_id, list_id))
  return isListOfWorkspace ? { event_type: event.event_type, list_id } : NO_EVENT
}

/** Reads only the event's type and the list that it names. */
function eventIn(text: string): ChangeEventBody | undefined {
  const message = parse(text) as { events?: unknown } | null
  const event: unknown = Array.isArray(message?.events) ? message.events[0] : undefined
  if (typeof event !== 'object' || event === null || !('event_type' in event)) return undefined
  if (typeof event.event_type !== 'string' || !isEventType(event.event_type)) return undefined
  const id = 'id' in event && typeof event.id === 'object' && event.id !== null ? event.id : {}
  const list_id = 'list_id' in id ? id.list_id : 'list_id' in event ? event.list_id : null
  const listId = typeof list_id === 'string' ? list_id.replaceAll('\u0000', '') : null
  return { event_type: event.event_type, id: {}, list_id: listId, actor: { type: 'system', id: null } }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Decides which response headers a test endpoint may set. Test endpoints share the origin of the console, so they may set
 * only headers that senders of webhooks read, and none that a browser or a proxy acts on.
 */
const READ_BY_SENDERS =
  /^(content-type|content-language|etag|last-modified|retry-after|x-request-id|x-correlation-id|(x-)?ratelimit(-[a-z0-9-]+)?|x-test-[a-z0-9-]+)$/i

/** Leaves out scripts and style sheets, which the console's pages would load from their own origin. */
const DOCUMENTS =
  /^(text\/(plain|html|xml)|application\/(json|problem\+json|xml|octet-stream|x-www-form-urlencoded))( *;.*)?$/i

const isAnswerHeader = (name: string, value: string): boolean =>
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
