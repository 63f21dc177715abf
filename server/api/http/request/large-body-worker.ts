/** Runs in a thread of its own, and parses the bodies that `read-body.ts` sends. */

import { parentPort } from 'node:worker_threads'
import { parseBody } from './parse-body'

if (parentPort === null) throw new Error('This file runs in a thread.')
const port = parentPort

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
port.on('message', (bytes: Uint8Array) => port.postMessage(parseBody(bytes)))
