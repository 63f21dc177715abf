/**
 * Parses large bodies in a thread of their own. To scan, decode and parse 24 MB takes up to 200 ms of processor time; to send the bytes
 * there and to receive the object takes 2 to 10 ms. See docs/decisions/exports-and-large-pages.md.
 */

import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { PROGRAM_FOLDER } from '#db/program'
import { nextTurn } from '#base/timing/in-slices'
import type { ParsedBody } from './parse-body'

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
