/**
 * Reads the body of a request as a JSON object.
 * See docs/reference/errors-and-limits.md (Malformed requests, Sizes).
 */

import { bodyTooLarge, invalidBody, unsupportedMediaType } from '../../errors/http'
import { MAX_BODY_DEPTH, MAX_BODY_MEMBERS, MAX_BODY_VALUES } from './body-limits'
import { measureJson } from './measure-json'
import { findInvalidUnicode } from './invalid-unicode'

/** Other content types are read as JSON: curl sends that of a form by default, and some clients send none. */
const MULTIPART = /^multipart\//i
const decoder = new TextDecoder('utf-8', { fatal: true })

/** Returns the body as a JSON object, or undefined for a request without a body. */
export async function readBody(request: Request, limit: number): Promise<Record<string, unknown> | undefined> {
  const type = request.headers.get('content-type') ?? ''
  if (MULTIPART.test(type)) throw unsupportedMediaType(type.split(';', 1)[0] ?? type)
  const bytes = await readBytes(request, limit)
  if (bytes.length === 0) return undefined
  refuseOversized(bytes)
  return parseObject(decode(bytes))
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

function refuseOversized(bytes: Uint8Array): void {
  const size = measureJson(bytes, { depth: MAX_BODY_DEPTH, values: MAX_BODY_VALUES, members: MAX_BODY_MEMBERS })
  if (size === 'too deep') throw unreadable('The body is nested too deeply')
  if (size === 'too many values') throw unreadable(`The body has more than ${MAX_BODY_VALUES} values`)
  if (size === 'too many members') throw unreadable(`The body has more than ${MAX_BODY_MEMBERS} members`)
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw unreadable('The body is not valid UTF-8')
  }
}

function parseObject(text: string): Record<string, unknown> {
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const received = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
    const message = `Expected object, received ${received}`
    throw invalidBody([{ code: 'invalid_type', path: [], message, expected: 'object', received }])
  }
  const path = findInvalidUnicode(text, value)
  if (path !== undefined) {
    throw invalidBody([{ code: 'invalid', path, message: 'Text must not contain NUL or half of a surrogate pair' }])
  }
  return value as Record<string, unknown> // an object, checked above
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw unreadable('The body is not valid JSON')
  }
}

const unreadable = (message: string) => invalidBody([{ code: 'invalid', path: [], message }])
