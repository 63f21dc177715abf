/**
 * Reads the body of a request as a JSON object.
 * See docs/reference/errors-and-limits.md (Malformed requests, Sizes).
 */

import { bodyTooLarge, invalidBody, unsupportedMediaType } from '#base/errors/http'
import { parseBody } from './parse-body'
import { parseInThread } from './parse-large-body'

/** Other content types are read as JSON: curl sends that of a form by default, and some clients send none. */
const MULTIPART = /^multipart\//i

/** A body of this size takes up to 20 ms to parse. */
const MAX_BYTES_HERE = 2_000_000

/** Returns the body as a JSON object, or undefined for a request without a body. */
export async function readBody(request: Request, limit: number): Promise<Record<string, unknown> | undefined> {
  const type = request.headers.get('content-type') ?? ''
  if (MULTIPART.test(type)) throw unsupportedMediaType(type.split(';', 1)[0] ?? type)
  const bytes = await readBytes(request, limit)
  if (bytes.length === 0) return undefined
  const parsed = bytes.length <= MAX_BYTES_HERE ? parseBody(bytes) : await parseInThread(bytes)
  if ('issue' in parsed) throw invalidBody([parsed.issue])
  return parsed.object
}

export async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const announced = request.headers.get('content-length')
  if (announced !== null) {
    if (Number(announced) > limit) throw bodyTooLarge(limit)
    return new Uint8Array(await request.arrayBuffer())
  }
  return request.body === null ? new Uint8Array() : countBytes(request.body, limit)
}

/** Reads a body without a `Content-Length` at most up to the limit. */
async function countBytes(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.length
    if (length > limit) throw bodyTooLarge(limit)
    chunks.push(chunk)
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
}
