/**
 * Copies values that PostgreSQL printed into JSON, byte by byte, which is faster than native calls for short values. Each
 * function returns the index behind the copy, or -1 when the value needs another form. `to` has room for 16 bytes more than the
 * value.
 */

/** Bytes inside other bytes. */
export interface ByteSpan {
  readonly bytes: Uint8Array
  readonly start: number
  readonly length: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_PRINTABLE = 0x20
const SPACE = 0x20
const PLUS = 0x2b
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const LETTER_T = 0x54
const LETTER_Z = 0x5a

/** Copies bytes of digits and letters, which need no other form. */
export function copyWord(to: Uint8Array, at: number, { bytes, start, length }: ByteSpan): number {
  for (let index = start; index < start + length; index++) to[at++] = bytes[index] ?? 0
  return at
}

/** Copies UTF-8 text as a JSON string. */
export function copyJsonString(to: Uint8Array, at: number, { bytes, start, length }: ByteSpan): number {
  to[at++] = QUOTE
  for (let index = start; index < start + length; index++) {
    const byte = bytes[index] ?? 0
    if (byte < FIRST_PRINTABLE || byte === QUOTE || byte === BACKSLASH) return -1
    to[at++] = byte
  }
  to[at++] = QUOTE
  return at
}

/** Copies a number without exponent. JavaScript prints such a number with the same digits, except for minus zero. */
export function copyDecimal(to: Uint8Array, at: number, { bytes, start, length }: ByteSpan): number {
  if (length === 2 && bytes[start] === MINUS && bytes[start + 1] === ZERO) return -1
  for (let index = start; index < start + length; index++) {
    const byte = bytes[index] ?? 0
    const isPart = (byte >= ZERO && byte <= NINE) || byte === POINT || byte === MINUS
    if (!isPart) return -1
    to[at++] = byte
  }
  return at
}

/** The parts of `2025-07-22 15:07:00.895+00`. */
const DATE_LENGTH = 10
const SECONDS_LENGTH = 19
const ZONE_LENGTH = 3
const NANOSECOND_DIGITS = 9

/** Copies a timestamp in UTC as `"2025-07-22T15:07:00.895000000Z"`. */
export function copyInstant(to: Uint8Array, at: number, { bytes, start, length }: ByteSpan): number {
  const zone = start + length - ZONE_LENGTH
  const fraction = start + SECONDS_LENGTH
  const isExpected = bytes[start + DATE_LENGTH] === SPACE && bytes[zone] === PLUS
  if (!isExpected || (zone !== fraction && bytes[fraction] !== POINT)) return -1
  to[at++] = QUOTE
  for (let index = start; index < fraction; index++) to[at++] = bytes[index] ?? 0
  to[at - SECONDS_LENGTH + DATE_LENGTH] = LETTER_T
  to[at++] = POINT
  for (let digit = 1; digit <= NANOSECOND_DIGITS; digit++) {
    to[at++] = fraction + digit < zone ? (bytes[fraction + digit] ?? ZERO) : ZERO
  }
  to[at++] = LETTER_Z
  to[at++] = QUOTE
  return at
}
