/**
 * Reads the body of a request as a JSON object.
 * See docs/reference/errors-and-limits.md (Malformed requests, Sizes).
 */

import { bodyTooLarge, invalidBody, unsupportedMediaType } from '#base/errors/http'
import { parseBody, type ParsedBody } from './parse-body'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { PROGRAM_FOLDER } from '#db/program'
import { nextTurn } from '#base/timing/in-slices'

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

// Parses large bodies in a thread of their own. To scan, decode and parse 24 MB takes up to 200 ms of processor time; to send the bytes
// there and to receive the object takes 2 to 10 ms. See docs/decisions/exports-and-large-pages.md.

interface Waiting {
  resolve(parsed: ParsedBody): void
  reject(error: Error): void
}

/** The thread answers in the order of the requests. */
interface Thread {
  readonly worker: Worker
  readonly waiting: Waiting[]
}

/** Started with the first large body. */
let thread: Thread | undefined

export async function parseInThread(bytes: Uint8Array): Promise<ParsedBody> {
  const { worker, waiting } = (thread ??= startThread())
  const { promise, resolve, reject } = Promise.withResolvers<ParsedBody>()
  waiting.push({ resolve, reject })
  // The memory of all of a buffer is handed over instead of copied.
  const isWhole = bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer
  worker.postMessage(bytes, isWhole ? [bytes.buffer] : [])
  const parsed = await promise
  // The clone was made in this turn of the event loop.
  await nextTurn()
  return parsed
}

function startThread(): Thread {
  const worker = new Worker(join(PROGRAM_FOLDER, 'server/api/http/request/large-body-worker.ts'))
  const started: Thread = { worker, waiting: [] }
  worker.on('message', (parsed: ParsedBody) => started.waiting.shift()?.resolve(parsed))
  const end = (error: Error) => {
    if (thread === started) thread = undefined
    for (const { reject } of started.waiting.splice(0)) reject(error)
  }
  worker.on('error', end)
  worker.on('exit', () => end(new Error('The thread that parses large bodies ended.')))
  // It keeps no process alive.
  worker.unref()
  return started
}
