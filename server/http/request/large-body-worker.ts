/** Runs in a thread of its own, and parses the bodies that `parse-large-body.ts` sends. */

import { parentPort } from 'node:worker_threads'
import { parseBody } from './parse-body'

parentPort?.on('message', (bytes: Uint8Array) => parentPort?.postMessage(parseBody(bytes)))
