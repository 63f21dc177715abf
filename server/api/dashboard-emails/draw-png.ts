/** Draws a picture as a PNG file, in a thread: drawing takes some tenths of a second, and holds memory that ends with the thread. */

import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { PROGRAM_FOLDER } from '#db/program'
import type { Picture } from './dashboard-picture'

/** What the thread gets at its start. */
export interface ThreadData {
  readonly programFolder: string
}

const TIMEOUT_MS = 120_000

export async function drawPng(picture: Picture): Promise<Uint8Array> {
  const workerData: ThreadData = { programFolder: PROGRAM_FOLDER }
  const thread = new Worker(join(PROGRAM_FOLDER, 'server/api/dashboard-emails/png-thread.ts'), { workerData })
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const timeout = setTimeout(() => reject(new Error('Drawing a dashboard took too long.')), TIMEOUT_MS)
  thread.once('message', resolve)
  thread.once('error', reject)
  thread.once('exit', () => reject(new Error('The thread that draws a dashboard ended.')))
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  thread.postMessage(picture)
  try {
    return await promise
  } finally {
    clearTimeout(timeout)
    await thread.terminate()
  }
}
