/** Runs in a thread of its own, and parses the bodies that `parse-large-body.ts` sends. */

import { parseBody } from './parse-body'

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<Uint8Array>) => self.postMessage(parseBody(data))
