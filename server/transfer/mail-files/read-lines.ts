/** Splits bytes into lines, and lets the event loop do other work in between. */

import { isSliceOver, nextTurn } from '#base/timing/in-slices'

const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/** What a line has beyond this is dropped, so that a file without line ends needs no memory. */
const MAX_LINE_BYTES = 64 * 1024
/** The lines of so many bytes take a few milliseconds, also when all of them are empty. */
const MAX_PIECE_BYTES = 16 * 1024

/** Yields the lines of each piece of the file, without their line ends. Throws the reason of `signal` when that is aborted. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array[]> {
  let begun: Uint8Array | undefined
  for await (const piece of piecesOf(chunks)) {
    signal?.throwIfAborted()
    const lines: Uint8Array[] = []
    let start = 0
    for (let end = piece.indexOf(LINE_FEED); end !== -1; end = piece.indexOf(LINE_FEED, start)) {
      lines.push(withoutReturn(join(begun, piece.subarray(start, end))))
      begun = undefined
      start = end + 1
    }
    if (start < piece.length) begun = join(begun, piece.subarray(start))
    if (lines.length > 0) yield lines
    if (isSliceOver()) await nextTurn()
  }
  if (begun !== undefined) yield [withoutReturn(begun)]
}

async function* piecesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length; at += MAX_PIECE_BYTES) yield chunk.subarray(at, at + MAX_PIECE_BYTES)
}

function join(begun: Uint8Array | undefined, rest: Uint8Array): Uint8Array {
  if (begun === undefined) return rest
  if (begun.length === MAX_LINE_BYTES) return begun
  return Buffer.concat([begun, rest.subarray(0, MAX_LINE_BYTES - begun.length)])
}

const withoutReturn = (line: Uint8Array): Uint8Array => (line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line)
