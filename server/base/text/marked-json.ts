/**
 * JSON text with marks in place of long texts, which are escaped in slices when the response is made. To escape 10 MB at once holds
 * the event loop for 20 to 30 ms. See docs/decisions/exports-and-large-pages.md.
 */

export interface MarkedJson {
  readonly text: string
  readonly longTexts: readonly string[]
}

/** A shorter text is rendered with the rest. */
const MIN_LONG_LENGTH = 64 * 1024
const SLICE_LENGTH = 256 * 1024

/** The mark of a long text, which is added to `longTexts`; a shorter text as it is. */
export const markLongText = (text: string, longTexts: string[]): string =>
  // No stored text has NUL, so no other text is rendered as a mark is.
  text.length < MIN_LONG_LENGTH ? text : `\0${longTexts.push(text) - 1}\0`

/** In JSON, a backslash of a text is doubled, so this matches only marks. */
const MARK = /\\u0000(\d+)\\u0000/

/** Returns the pieces of the JSON text. Yields after each slice. */
export function* insertLongTexts({ text, longTexts }: MarkedJson): Generator<void, string[]> {
  if (longTexts.length === 0) return [text]
  const pieces: string[] = []
  for (const [index, part] of text.split(MARK).entries()) {
    // Each second part is the number of a mark.
    if (index % 2 === 0) pieces.push(part)
    else yield* escapeInSlices(longTexts[Number(part)] ?? '', pieces)
  }
  return pieces
}

/** The JSON text at once. */
export function wholeJson(marked: MarkedJson): string {
  const pieces = insertLongTexts(marked)
  for (;;) {
    const { done, value } = pieces.next()
    if (done === true) return value.join('')
  }
}

function* escapeInSlices(text: string, pieces: string[]): Generator<void, void> {
  for (let from = 0; from < text.length;) {
    let end = from + SLICE_LENGTH
    if (isHighSurrogate(text.charCodeAt(end - 1))) end--
    pieces.push(JSON.stringify(text.slice(from, end)).slice(1, -1))
    yield
    from = end
  }
}

/** Whether the unit is the first one of a surrogate pair. */
const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
