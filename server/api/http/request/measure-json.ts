/**
 * Measures JSON before it is parsed: how deep it is nested, and how many values it has. A parser needs a second for 25 MB
 * of small values, and a deep value exhausts the stack of a recursive function.
 */

export interface JsonLimits {
  readonly depth: number
  /** The number of members and elements. An empty object or array counts twice. */
  readonly values: number
  /** The number of members of objects. A parser needs ten times as long for a member as for an element. */
  readonly members: number
}

export type JsonSize = 'within' | 'too deep' | 'too many values' | 'too many members'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c

/** Reads UTF-8 once, skips strings, allocates nothing and checks no syntax. */
export function measureJson(bytes: Uint8Array, limits: JsonLimits): JsonSize {
  let depth = 0
  let values = 1
  let members = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfString(bytes, at + 1)
    else if (byte === COMMA) values++
    else if (byte === COLON) members++
    else if (isOpening(byte)) {
      values++
      depth++
      if (depth > limits.depth) return 'too deep'
    } else if (isClosing(byte)) depth--
    if (values > limits.values) return 'too many values'
    if (members > limits.members) return 'too many members'
  }
  return 'within'
}

/** Returns the index of the closing quote, or the end of the bytes. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}

const isOpening = (byte: number | undefined): boolean => byte === 0x5b /* [ */ || byte === 0x7b /* { */
const isClosing = (byte: number | undefined): boolean => byte === 0x5d /* ] */ || byte === 0x7d /* } */
