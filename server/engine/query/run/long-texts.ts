/**
 * Leaves long texts out of the rendering of a row and inserts them when the response is sent. To decode, render and encode a text
 * of 10 MB at once holds the event loop for up to 100 ms. See docs/decisions/exports-and-large-pages.md.
 *
 * The renderer gets a mark in place of the text. No stored text contains NUL, so no other text renders as a mark does.
 */

import type { RowMessage } from '#db/driver/row-messages'

/** A shorter text is rendered with its row. */
const MIN_LONG_BYTES = 64 * 1024
/** Longer output is divided. */
const MAX_PIECE_BYTES = 256 * 1024

/** The UTF-8 bytes of a text, without its first bytes if these are in the row, where they tell whether a cell is a formula. */
export type LongText = Buffer

/** Whether a text of the row may be long. */
export const mayHaveLongTexts = ({ size }: RowMessage): boolean => size >= MIN_LONG_BYTES

/** The row with marks in place of its long texts, which are added to `longTexts`. */
export function withMarks(message: RowMessage, longTexts: LongText[]): RowMessage {
  if (!mayHaveLongTexts(message)) return message
  const { bytes, starts, lengths } = message
  const value = (column: number): unknown => {
    const length = lengths[column] ?? -1
    if (length < MIN_LONG_BYTES || !message.isText(column)) return message.value(column)
    const start = starts[column] ?? 0
    const inRow = beginningOf(bytes, start, length)
    // The driver does not change bytes that it has received.
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start + inRow.length, length - inRow.length)
    return `${inRow}"\0${longTexts.push(text) - 1}"`
  }
  return { ...message, value }
}

/** Apostrophes and the character behind them, as far as it is of ASCII. */
function beginningOf(bytes: Uint8Array, start: number, length: number): string {
  let end = start
  const last = start + Math.min(length, MAX_BEGINNING) - 1
  while (bytes[end] === APOSTROPHE && end < last) end++
  if ((bytes[end] ?? FIRST_NOT_ASCII) < FIRST_NOT_ASCII) end++
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')
}

const APOSTROPHE = 0x27
const MAX_BEGINNING = 1000
const FIRST_NOT_ASCII = 0x80

/** How marks and texts stand in a format. Each works on bytes, of which only those of ASCII characters are changed. */
interface Format {
  readonly markBegin: Uint8Array
  readonly markEnd: Uint8Array
  /** Escapes a text in which each byte is a character. */
  escape(text: string): string
}

/** The quotes of a mark force a cell into quotes. */
export const FORMATS = {
  json: {
    markBegin: Buffer.from(String.raw`\"\u0000`),
    markEnd: Buffer.from(String.raw`\"`),
    escape: (text) => JSON.stringify(text).slice(1, -1),
  },
  csv: {
    markBegin: Buffer.from('""\0'),
    markEnd: Buffer.from('""'),
    escape: (text) => text.replaceAll('"', '""'),
  },
} satisfies Record<string, Format>

/** Yields the rendered rows in pieces, with their long texts in place of the marks. The pieces are copies. */
export function* piecesOf(
  rendered: Uint8Array,
  longTexts: readonly LongText[],
  format: Format,
): Generator<Uint8Array, void> {
  const all = Buffer.from(rendered.buffer, rendered.byteOffset, rendered.length)
  let from = 0
  while (longTexts.length > 0) {
    const mark = all.indexOf(format.markBegin, from)
    if (mark < 0) break
    const number = mark + format.markBegin.length
    const end = all.indexOf(format.markEnd, number)
    yield* divide(all.subarray(from, mark))
    yield* escapeInPieces(longTexts[Number(all.toString('latin1', number, end))] ?? NOTHING, format)
    from = end + format.markEnd.length
  }
  yield* divide(all.subarray(from))
}

const NOTHING = Buffer.alloc(0)

function* divide(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let from = 0; from < bytes.length; from += MAX_PIECE_BYTES)
    yield new Uint8Array(bytes.subarray(from, from + MAX_PIECE_BYTES))
}

function* escapeInPieces(text: LongText, { escape }: Format): Generator<Uint8Array, void> {
  for (let from = 0; from < text.length; from += MAX_PIECE_BYTES)
    yield Buffer.from(escape(text.toString('latin1', from, from + MAX_PIECE_BYTES)), 'latin1')
}
