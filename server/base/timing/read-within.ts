/** Reads a stream whose sender may stop or be slow. */

import { withTimeout } from './with-timeout'

export interface ReadLimits {
  /** How long the next bytes may take. */
  readonly idleMs: number
  /** How long all bytes may take. */
  readonly totalMs: number
}

/** The stream reached a time limit. */
export class ReadTimeout extends Error {}

/** Yields the chunks of a stream. Throws `ReadTimeout` at a limit. Cancels the stream when the reader stops before its end. */
export async function* readWithin(
  stream: ReadableStream<Uint8Array>,
  { idleMs, totalMs }: ReadLimits,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  const endsAt = performance.now() + totalMs
  try {
    for (;;) {
      const result = await withTimeout(reader.read(), Math.min(idleMs, endsAt - performance.now()))
      if (result === undefined) throw new ReadTimeout('The stream reached its time limit.')
      if (result.done) return
      yield result.value
    }
  } finally {
    // A stream that has failed rejects the cancellation with the same error.
    void reader.cancel().catch(() => {})
  }
}
