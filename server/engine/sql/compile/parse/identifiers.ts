/** Finds the parts of a qualified name in a text, such as `objects . "people"`, from the offset at which the tree says it begins. */

export interface Part {
  readonly start: number
  readonly end: number
}

const [DOT, QUOTE, AND, SLASH, STAR, MINUS, NEWLINE, RETURN] = [...'."&/*-\n\r'].map((sign) => sign.charCodeAt(0))

/** The first `count` parts. Undefined when the text has another form there, such as `U&"…"`. */
export function findParts(bytes: Uint8Array, start: number, count: number): Part[] | undefined {
  const parts: Part[] = []
  let offset = start
  while (parts.length < count) {
    const end = endOfIdentifier(bytes, offset)
    if (end === offset) return undefined
    parts.push({ start: offset, end })
    if (parts.length === count) break
    const dot = skipSpace(bytes, end)
    if (bytes[dot] !== DOT) return undefined
    offset = skipSpace(bytes, dot + 1)
  }
  return parts
}

/** Returns `start` where no identifier begins. */
function endOfIdentifier(bytes: Uint8Array, start: number): number {
  let offset = start
  if (bytes[offset] !== QUOTE) {
    while (isWord(bytes[offset])) offset++
    return bytes[offset] === AND && bytes[offset + 1] === QUOTE ? start : offset
  }
  for (offset++; offset < bytes.length; offset++) {
    if (bytes[offset] !== QUOTE) continue
    if (bytes[offset + 1] !== QUOTE) return offset + 1
    offset++
  }
  return start
}

/** Letters, digits, `_`, `$` and every byte of characters beyond ASCII. */
const isWord = (byte = 0): boolean => byte >= 0x80 || /[\w$]/.test(String.fromCharCode(byte))

/** Skips white space and comments, which may be nested. */
export function skipSpace(bytes: Uint8Array, start: number): number {
  let offset = start
  for (;;) {
    const [byte, next] = [bytes[offset], bytes[offset + 1]]
    if (byte === MINUS && next === MINUS) offset = endOfLine(bytes, offset)
    else if (byte === SLASH && next === STAR) offset = endOfComment(bytes, offset)
    else if (byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d)) offset++
    else return offset
  }
}

function endOfLine(bytes: Uint8Array, start: number): number {
  let offset = start
  while (offset < bytes.length && bytes[offset] !== NEWLINE && bytes[offset] !== RETURN) offset++
  return offset
}

function endOfComment(bytes: Uint8Array, start: number): number {
  let depth = 0
  let offset = start
  while (offset < bytes.length) {
    const [byte, next] = [bytes[offset], bytes[offset + 1]]
    if (byte === SLASH && next === STAR) depth++
    else if (byte === STAR && next === SLASH) depth--
    else {
      offset++
      continue
    }
    offset += 2
    if (depth === 0) return offset
  }
  return offset
}
