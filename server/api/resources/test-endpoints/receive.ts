/** Receives a request at a test endpoint: checks its signature, stores it, and sends the configured response. */

import { isSameSecret } from '#access/secrets'
import { createHmac } from 'node:crypto'
import { newId } from '#base/ids'
import { urlOf } from '#api/http/request/request-url'
import type { AppContext } from '#context'
import { timestampFromMicros } from '#base/timing/clock'
import type { TestRequest } from './schemas'
import { isAnswerHeader } from './answer-headers'
import { subjectOfRequest } from './request-subject'
import { countRequest, findSecrets, insertRequest, type EndpointRow } from './store'

const MAX_BODY_BYTES = 256 * 1024

/** Test endpoints share the origin of the console, so a browser must not run scripts of their responses. */
const SANDBOX_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
}

/** `rest` is the path below the endpoint. */
export async function receive(
  appContext: AppContext,
  request: Request,
  token: string,
  rest: string,
): Promise<Response> {
  const { db, now } = appContext
  const bytes = await readBody(request)
  if (bytes === undefined) return new Response('Too large', { status: 413, headers: SANDBOX_HEADERS })
  const endpoint = await countRequest(db, token, now())
  if (endpoint === undefined)
    return new Response('There is no such test endpoint, or it has expired.', { status: 404, headers: SANDBOX_HEADERS })
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
