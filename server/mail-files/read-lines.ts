/** Splits bytes into lines. */

const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/** What a line has beyond this is dropped, so that a file without line ends needs no memory. */
const MAX_LINE_BYTES = 64 * 1024

/** Yields the lines of each chunk, without their line ends. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array[]> {
  let begun: Uint8Array | undefined
  for await (const chunk of chunks) {
    const lines: Uint8Array[] = []
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      lines.push(withoutReturn(join(begun, chunk.subarray(start, end))))
      begun = undefined
      start = end + 1
    }
    if (start < chunk.length) begun = join(begun, chunk.subarray(start))
    if (lines.length > 0) yield lines
  }
  if (begun !== undefined) yield [withoutReturn(begun)]
}

function join(begun: Uint8Array | undefined, rest: Uint8Array): Uint8Array {
  if (begun === undefined) return rest.length > MAX_LINE_BYTES ? rest.slice(0, MAX_LINE_BYTES) : rest
  return Buffer.concat([begun, rest.subarray(0, Math.max(0, MAX_LINE_BYTES - begun.length))])
}

const withoutReturn = (line: Uint8Array): Uint8Array => (line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line)
