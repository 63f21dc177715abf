/**
 * Encodes texts as UTF-8 in one buffer that is used again. A page has megabytes, and to allocate them for each page takes
 * longer than to encode them. Decision 0036.
 */

type Bytes = Uint8Array<ArrayBuffer>

/** A larger text gets a buffer of its own. */
const MAX_BUFFER_LENGTH = 8 * 1024 * 1024

let buffer = Buffer.allocUnsafe(64 * 1024)

/** Returns the result of `use` for the joined texts in UTF-8. `use` must copy the bytes, because the next call overwrites them. */
export function withEncoded<T>(texts: readonly string[], use: (bytes: Bytes) => T): T {
  const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const bytes = memoryFor(size)
  let at = 0
  for (const text of texts) at += bytes.write(text, at)
  return use(bytes.subarray(0, at))
}

function memoryFor(size: number): Buffer<ArrayBuffer> {
  if (size <= buffer.length) return buffer
  if (size > MAX_BUFFER_LENGTH) return Buffer.allocUnsafe(size)
  buffer = Buffer.allocUnsafe(Math.min(2 * size, MAX_BUFFER_LENGTH))
  return buffer
}
