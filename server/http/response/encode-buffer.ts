/**
 * Texts made into bytes in memory that is used again: a page has megabytes, and to get as many from the system for each
 * costs more than to fill them. Decision 0036.
 */

type Bytes = Uint8Array<ArrayBuffer>

/** Larger ones get memory of their own. */
const MOST_KEPT = 8 * 1024 * 1024

let kept = Buffer.allocUnsafe(64 * 1024)

/** What `use` makes of the texts, one after the other in UTF-8. It must copy what it needs: the bytes are soon others. */
export function withEncoded<T>(texts: readonly string[], use: (bytes: Bytes) => T): T {
  const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const bytes = memoryFor(size)
  let at = 0
  for (const text of texts) at += bytes.write(text, at)
  return use(bytes.subarray(0, at))
}

function memoryFor(size: number): Buffer<ArrayBuffer> {
  if (size <= kept.length) return kept
  if (size > MOST_KEPT) return Buffer.allocUnsafe(size)
  kept = Buffer.allocUnsafe(Math.min(2 * size, MOST_KEPT))
  return kept
}
